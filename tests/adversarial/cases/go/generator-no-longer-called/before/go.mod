module example.com/colours

go 1.19
