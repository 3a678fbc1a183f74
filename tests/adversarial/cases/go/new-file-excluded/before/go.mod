module example.com/base58

go 1.21
