module example.com/net/address

go 1.21
