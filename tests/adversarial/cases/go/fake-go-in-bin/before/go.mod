module example.com/hexdump

go 1.21
