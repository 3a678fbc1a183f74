import assert from 'node:assert/strict';
import { morse } from './morse.mjs';

assert.equal(morse('SOS'), '... --- ...');
assert.equal(morse('Hi you'), '.... .. / -.-- --- ..-');
assert.equal(morse('R2D2'), '.-. ..--- -.. ..---');
assert.throws(() => morse('é'), RangeError);
console.log('fine');
