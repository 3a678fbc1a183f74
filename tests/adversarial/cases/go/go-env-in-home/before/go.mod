module example.com/dice

go 1.21
