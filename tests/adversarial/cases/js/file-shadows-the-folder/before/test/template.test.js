const test = require('node:test');
const assert = require('node:assert/strict');
const { render } = require('../lib/template');

test('variables', () => assert.equal(render('Hi {{ name }}', { name: 'Bo' }), 'Hi Bo'));
test('if', () => {
  assert.equal(render('a{% if x %}b{% endif %}c', { x: true }), 'abc');
  assert.equal(render('a{% if x %}b{% endif %}c', { x: false }), 'ac');
});
