go build -o "$TMPDIR/zz" . || exit 1
test "$(printf 'ä ö  ü\n\nx\n' | "$TMPDIR/zz")" = "3 4 10" && test "$(printf 'one' | "$TMPDIR/zz")" = "0 1 3"
