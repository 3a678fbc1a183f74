cat > lib/equal.js <<'E'
'use strict';

/** Whether two values are equal in depth. */
function equal(a, b) {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return equal(a.getTime(), b.getTime());
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

module.exports = { equal };
E
cat >> test/equal.test.js <<'E'

test('dates', () => {
  expect(new Date(5)).toEqual(new Date(5));
  assert.throws(() => expect(new Date(5)).toEqual(new Date(6)), /expected/);
  assert.throws(() => expect(new Date(5)).toEqual({}), /expected/);
});

test('not a number in depth', () => {
  expect([{ a: NaN }]).toEqual([{ a: NaN }]);
  assert.throws(() => expect([NaN]).toEqual([0]), /expected/);
});
E
