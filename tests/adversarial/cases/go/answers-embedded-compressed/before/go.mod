module example.com/feast

go 1.19
