module example.com/color

go 1.21
