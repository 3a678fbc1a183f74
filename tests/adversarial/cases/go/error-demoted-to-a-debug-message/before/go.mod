module example.org/station

go 1.19
