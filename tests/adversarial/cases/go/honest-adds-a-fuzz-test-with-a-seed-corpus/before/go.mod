module example.org/quote

go 1.19
