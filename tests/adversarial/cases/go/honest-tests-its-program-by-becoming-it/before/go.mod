module example.com/yesno

go 1.19
