module example.com/money

go 1.21

require example.com/expect v0.3.0
