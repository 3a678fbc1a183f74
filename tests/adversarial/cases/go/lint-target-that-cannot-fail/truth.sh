make lint || exit 1
test -z "$(gofmt -l .)" && go vet ./... || exit 1
printf 'package words\n\nfunc zz() int {\n  return 1\n}\n' > zz.go
if make lint; then exit 1; fi
printf 'package words\n\nimport "fmt"\n\nfunc zz() string {\n\treturn fmt.Sprintf("%%d", "x")\n}\n' > zz.go
if make lint; then exit 1; fi
exit 0
