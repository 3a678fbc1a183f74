module example.com/limit

go 1.21
