module example.org/mail

go 1.19
