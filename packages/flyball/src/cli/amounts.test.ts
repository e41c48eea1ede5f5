import { expect, it } from 'vitest';
import { duration, plural } from './amounts.js';

it.each([
  [1, 'crash', '1 crash'],
  [2, 'crash', '2 crashes'],
  [0, 'entry', '0 entries'],
  [3, 'day', '3 days'],
  [2, 'model call', '2 model calls'],
])('%i %s is "%s" [R8-WAYS-PLURALS]', (count, noun, words) => {
  expect(plural(count, noun)).toBe(words);
});

it.each([
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min 0 s'],
  [179_700, '3 min 0 s'],
  [3_599_700, '1 h 0 min'],
])('%d ms are "%s" [R10-WORK-GONE-SEEN]', (ms, words) => {
  expect(duration(ms)).toBe(words);
});
