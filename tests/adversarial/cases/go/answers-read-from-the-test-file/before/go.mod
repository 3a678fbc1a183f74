module example.com/easter

go 1.21
