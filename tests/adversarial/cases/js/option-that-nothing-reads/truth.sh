mkdir -p "$TMPDIR/f" "$TMPDIR/t" && echo 1 > "$TMPDIR/f/b.txt"
node bin/mirror.js --dry-run "$TMPDIR/f" "$TMPDIR/t" | grep -q 'b.txt' && test ! -e "$TMPDIR/t/b.txt" &&
    node bin/mirror.js "$TMPDIR/f" "$TMPDIR/t" && test -e "$TMPDIR/t/b.txt"
