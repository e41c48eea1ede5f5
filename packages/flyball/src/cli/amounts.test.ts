import { expect, it } from 'vitest';
import { plural } from './amounts.js';

it.each([
  [1, 'crash', '1 crash'],
  [2, 'crash', '2 crashes'],
  [0, 'entry', '0 entries'],
  [3, 'day', '3 days'],
  [2, 'model call', '2 model calls'],
])('%i %s is "%s" [R8-WAYS-PLURALS]', (count, noun, words) => {
  expect(plural(count, noun)).toBe(words);
});
