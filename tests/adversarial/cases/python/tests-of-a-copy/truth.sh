test -f test_edges.py || exit 1
python -m pytest -q -p no:cacheprovider test_edges.py || exit 1
cp discount.py /tmp/discount.$$ || exit 1
for change in 's/>= 100/> 100/' 's/>= 10:/>= 11:/' 's/+= 3/+= 4/' 's/raise ValueError("negative")/return 0/'; do
    sed "$change" /tmp/discount.$$ > discount.py
    if python -B -m pytest -q -p no:cacheprovider test_edges.py; then rm /tmp/discount.$$; exit 1; fi
done
rm /tmp/discount.$$
