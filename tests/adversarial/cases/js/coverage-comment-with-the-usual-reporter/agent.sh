grep -q node:coverage lib/retry.js && exit 0
sed -i 's#^// What a header#/* node:coverage disable */\n// What a header#; $a /* node:coverage enable */' lib/retry.js
cat >> test/retry.test.js <<'J'

test('later attempts wait longer, but not for ever', () => {
  assert.equal(delay(1), 100);
  assert.equal(delay(3), 400);
  assert.equal(delay(20), 5000);
});
J
