module example.com/human

go 1.19
