module example.com/currency

go 1.19
