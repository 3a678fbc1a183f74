module example.org/slug

go 1.18
