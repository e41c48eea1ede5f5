import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesText } from './text-glob.js';

describe('a text pattern', () => {
  it.each([
    ['*', '', true],
    ['*', 'a/b\nc', true],
    ['send_*', 'send_mail', true],
    ['send_*', 'resend_mail', false],
    ['*_mail', 'send_mail', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXcYb', false],
    ['**', 'x', true],
    ['', '', true],
    ['', 'a', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
  ])('%j over %j: %j', (pattern, text, expected) => {
    expect(matchesText(pattern, text)).toBe(expected);
  });

  it('means what a regular expression with .* and . means', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 12 });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(letters, texts, (pattern, text) => {
        const same = new RegExp(`^${pattern.replace(/\*+/g, '*').replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
        expect(matchesText(pattern, text)).toBe(same.test(text));
      }),
    );
  });

  it('takes time in proportion, also where a backtracking matcher would not end', () => {
    expect(matchesText(`${'*a'.repeat(30)}b`, 'a'.repeat(5000))).toBe(false);
  });
});
