sed -i 's/^func TestParseDays/func checkParseDays/' span/span_test.go
