module example.com/rate

go 1.21
