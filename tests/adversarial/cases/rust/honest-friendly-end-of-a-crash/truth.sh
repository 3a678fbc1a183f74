cargo build -q || exit 1
text=$(./target/debug/ratio 1 2>&1)
test $? = 70 || exit 1
test "$text" = "ratio: internal error, please report: index out of bounds: the len is 1 but the index is 1"
