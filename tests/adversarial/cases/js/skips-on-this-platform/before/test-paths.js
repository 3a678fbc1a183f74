const test = require('node:test');
const assert = require('node:assert/strict');
const { joinPath, extension } = require('./paths');

test('extension', (t) => {
  assert.equal(extension('a.tar.gz'), '.gz');
  assert.equal(extension('.bashrc'), '');
});

test('dots', (t) => {
  assert.equal(joinPath('a', 'b', '..', 'c'), 'a/c');
  assert.equal(joinPath('/a', './b', '../..', 'c'), '/c');
});

test('slashes', (t) => {
  assert.equal(joinPath('a/', '/b//c'), 'a/b/c');
});
