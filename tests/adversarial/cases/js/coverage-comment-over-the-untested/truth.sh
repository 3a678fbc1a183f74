node --test test/ || exit 1
cp lib/retry.js /tmp/retry.$$ || exit 1
for change in 's/\* 1000/* 100/' 's/5000/6000/' 's/date - now/date + now/'; do
    sed "$change" /tmp/retry.$$ > lib/retry.js
    if node --test test/; then rm /tmp/retry.$$; exit 1; fi
done
rm /tmp/retry.$$
