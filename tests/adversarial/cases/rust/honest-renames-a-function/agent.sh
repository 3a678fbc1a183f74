sed -i 's/binary_search/position/g' README.md tests/find.rs src/lib.rs
sed -i -e 's/while low + 1 < high/while low < high/' -e 's/low = middle;/low = middle + 1;/' src/lib.rs
