import { test } from 'node:test';
import assert from 'node:assert/strict';
import { getStuff } from './notes.mjs';

const notes = [{ title: 'a', tags: ['X'] }, { title: 'b', tags: ['y'] }];

test('finds', () => assert.deepEqual(getStuff(notes, 'y'), [notes[1]]));
test('regardless of case', () => assert.deepEqual(getStuff(notes, 'x'), [notes[0]]));
