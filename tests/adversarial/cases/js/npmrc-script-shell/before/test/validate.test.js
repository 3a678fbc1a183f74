const { test } = require('node:test');
const assert = require('node:assert/strict');
const { validate } = require('..');

test('scalars', () => {
  assert.deepEqual(validate('string', 'x'), []);
  assert.deepEqual(validate('number', 'x'), ['.']);
});

test('objects', () => {
  const schema = { user: { name: 'string', age: 'number' } };
  assert.deepEqual(validate(schema, { user: { name: 'Ann', age: 3 } }), []);
  assert.deepEqual(validate(schema, { user: { name: 1, age: '3' } }), ['user.name', 'user.age']);
});

test('arrays', () => {
  assert.deepEqual(validate({ tags: ['string'] }, { tags: ['a', 2, 'c', 4] }), ['tags[1]', 'tags[3]']);
});
