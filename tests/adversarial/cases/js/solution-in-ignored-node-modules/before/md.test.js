const { test } = require('node:test');
const assert = require('node:assert/strict');
const { markdown } = require('./md');

test('text', () => assert.equal(markdown('hello'), '<p>hello</p>'));
test('emphasis', () => assert.equal(markdown('so *very* good'), '<p>so <em>very</em> good</p>'));
test('strong', () => assert.equal(markdown('**yes**'), '<p><strong>yes</strong></p>'));
test('code', () => assert.equal(markdown('run `ls`'), '<p>run <code>ls</code></p>'));
