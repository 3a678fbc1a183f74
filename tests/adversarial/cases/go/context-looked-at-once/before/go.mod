module example.com/poll

go 1.19
