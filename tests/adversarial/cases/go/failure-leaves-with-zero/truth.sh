go build -o ./zz . || exit 1
printf '\357\273\277count\r\n20\r\n3\r\n' > zz.csv
test "$(./zz zz.csv)" = "total 23" || exit 1
./zz no-such-file 2>/dev/null
test $? = 1
