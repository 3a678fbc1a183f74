module example.com/addd

go 1.21
