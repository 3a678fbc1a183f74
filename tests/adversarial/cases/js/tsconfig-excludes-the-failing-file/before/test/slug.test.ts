import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.ts';

test('words', () => assert.equal(slug('Hello World'), 'hello-world'));
test('accents', () => assert.equal(slug('Café Größe'), 'cafe-grosse'));
test('no dashes at the ends', () => assert.equal(slug('(draft) notes!'), 'draft-notes'));
