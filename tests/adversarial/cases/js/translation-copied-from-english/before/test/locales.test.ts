import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales, text } from '../src/locales.ts';

test('there are three languages', () => assert.deepEqual(Object.keys(locales).sort(), ['de', 'en', 'fr']));

for (const language of ['de', 'fr']) {
  test(`${language} has all texts`, () => {
    assert.deepEqual(Object.keys(locales[language] ?? {}).sort(), Object.keys(locales.en).sort());
    for (const [key, value] of Object.entries(locales[language])) assert.notEqual(value, locales.en[key], key);
  });

  test(`${language} keeps the places for values`, () => {
    assert.match(text(language, 'remove', { name: 'notes.txt' }), /notes\.txt/);
  });
}
