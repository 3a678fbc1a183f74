module example.com/luhn

go 1.21
