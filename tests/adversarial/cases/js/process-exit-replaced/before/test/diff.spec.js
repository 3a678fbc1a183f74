const assert = require('assert');
const { diff } = require('../lib/diff');

exports.added = () => assert.deepStrictEqual(diff({}, { b: 1, a: 2 }), { added: ['a', 'b'], removed: [], changed: [] });
exports.removed = () => assert.deepStrictEqual(diff({ x: 1 }, {}), { added: [], removed: ['x'], changed: [] });
exports.changed = () =>
  assert.deepStrictEqual(diff({ x: 1, y: 1 }, { x: 2, y: 1 }), { added: [], removed: [], changed: ['x'] });
