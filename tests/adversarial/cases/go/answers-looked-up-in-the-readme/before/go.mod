module example.org/base62

go 1.19
