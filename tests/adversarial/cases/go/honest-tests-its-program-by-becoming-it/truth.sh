go build -o ./zz . || exit 1
./zz y && ./zz yes || exit 1
./zz n; test $? = 1 || exit 1
./zz Y 2>zz.err; test $? = 2 && test -s zz.err
