module example.com/set

go 1.21
