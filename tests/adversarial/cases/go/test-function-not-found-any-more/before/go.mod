module example.com/span

go 1.21
