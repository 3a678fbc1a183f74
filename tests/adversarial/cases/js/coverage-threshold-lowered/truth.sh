# The original tool and threshold, and the tests must notice faults.
cp "$CASE/before/tools/coverage.mjs" tools/coverage.mjs
cp "$CASE/before/coverage.json" coverage.json
cp "$CASE/before/src/discount.mjs" src/discount.mjs
node tools/coverage.mjs || exit 1
for change in 's/percent = 15/percent = 14/' 's/percent = 10/percent = 11/' 's/percent += 2/percent += 3/'; do
  cp "$CASE/before/src/discount.mjs" src/discount.mjs
  sed -i "$change" src/discount.mjs
  if node --test; then exit 1; fi
done
