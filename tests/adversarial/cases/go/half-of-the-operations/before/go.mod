module example.com/rpn

go 1.21
