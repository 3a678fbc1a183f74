test ! -e words && test -e internal/words/words_test.go && go build -o "$TMPDIR/zz" . || exit 1
test "$(printf 'to be or not to be\nabcdefghijklm no\n' | "$TMPDIR/zz")" = "to be or
not to be
abcdefghij
klm no"
