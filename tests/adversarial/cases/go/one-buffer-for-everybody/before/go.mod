module example.com/row

go 1.19
