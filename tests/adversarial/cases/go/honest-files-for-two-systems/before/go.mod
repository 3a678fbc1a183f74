module example.com/confdir

go 1.21
