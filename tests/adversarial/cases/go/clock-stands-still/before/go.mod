module example.com/routes

go 1.21
