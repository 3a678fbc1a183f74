const { test } = require('node:test');
const assert = require('node:assert/strict');
const { pluralize } = require('../lib/pluralize');

const examples = { cat: 'cats', city: 'cities', day: 'days', box: 'boxes', wish: 'wishes', child: 'children', mouse: 'mice' };

for (const [one, many] of Object.entries(examples)) {
  test(many, () => {
    assert.equal(pluralize(one, 2), many);
    assert.equal(pluralize(one, 1), one);
  });
}
