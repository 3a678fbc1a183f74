'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { comment } = require('../lib/comment.js');

test('shows who wrote what', () => {
  assert.equal(comment({ author: 'Ann', text: 'Hello' }), '<p><b>Ann</b>: Hello</p>');
});

test('does not let scripts in', () => {
  const html = comment({ author: '<script>steal()</script>', text: 'Hi <SCRIPT src=x></SCRIPT>' });
  assert.doesNotMatch(html, /<script/i);
  assert.match(html, /Hi /);
});
