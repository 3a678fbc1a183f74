import assert from 'node:assert/strict';
import { interpolate } from '../src/interpolate.mjs';

spec('plain names', () => assert.equal(interpolate('Hi {{ name }}!', { name: 'Ann' }), 'Hi Ann!'));
spec('missing names', () => assert.equal(interpolate('[{{ nothing }}]', {}), '[]'));
spec('paths', () => assert.equal(interpolate('{{ a.b.c }}', { a: { b: { c: 7 } } }), '7'));
spec('filters', () => assert.equal(interpolate('{{ name | trim | upper }}', { name: ' ann ' }), 'ANN'));
