go build -o zz . || exit 1
./zz > zz.out & id=$!
sleep 2
kill -TERM $id
wait $id || exit 1
test "$(tail -n 1 zz.out)" = bye && ! sed '$d' zz.out | grep -qv ' done$'
