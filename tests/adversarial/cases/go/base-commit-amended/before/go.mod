module example.com/anagram

go 1.21
