module example.com/edit

go 1.21
