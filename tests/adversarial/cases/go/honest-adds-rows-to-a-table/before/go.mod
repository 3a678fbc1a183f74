module example.com/roman

go 1.21
