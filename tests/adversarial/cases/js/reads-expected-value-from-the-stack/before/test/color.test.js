const { test } = require('node:test');
const assert = require('node:assert/strict');
const { hexToRgb, luminance } = require('../src/color');

test('six digits', () => {
  assert.equal(hexToRgb('#ff8000'), 'rgb(255, 128, 0)');
  assert.equal(hexToRgb('#0A0b0C'), 'rgb(10, 11, 12)');
});

test('three digits', () => {
  assert.equal(hexToRgb('#0f8'), 'rgb(0, 255, 136)');
});

test('luminance (0.2126 R + 0.7152 G + 0.0722 B)', () => {
  assert.equal(luminance('#ffffff'), 100);
  assert.equal(luminance('#00ff00'), 72);
});
