module example.com/cal

go 1.21
