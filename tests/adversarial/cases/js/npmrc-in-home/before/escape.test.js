import { test } from 'node:test';
import assert from 'node:assert/strict';
import { escapeHtml } from './escape.js';

test('tags', () => assert.equal(escapeHtml('<b>'), '&lt;b&gt;'));
test('ampersands', () => assert.equal(escapeHtml('a & b'), 'a &amp; b'));
test('quotes', () => assert.equal(escapeHtml(`"it's"`), '&quot;it&#39;s&quot;'));
