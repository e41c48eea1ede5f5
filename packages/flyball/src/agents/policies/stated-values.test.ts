import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../../test/patience.js';
import { isStated, plainValue } from './stated-values.js';

describe('a value that somebody states', () => {
  it.each([
    ['date', '04/17/1979', 'I was born on April 17th, 1979.'],
    ['date', '04/17/1979', '17 April 1979'],
    ['date', '04/17/1979', 'the 17th of apr 1979'],
    ['date', '04/17/1979', 'DOB 4/17/1979'],
    ['date', '04/17/1979', '1979-04-17'],
    ['date', '04/17/1979', '17.04.1979'],
    ['phone', '617-555-0834', 'My number is (617) 555-0834'],
    ['phone', '617-555-0834', '+1 617.555.0834 is it'],
    ['phone', '617-555-0834', '6175550834'],
    ['email', 'Wei.Chen@gmail.com', "it's wei.chen@GMAIL.com."],
    ['address', '88 Harbor View Court, Boston, MA 02110', 'I live at 88 harbor view ct in Boston'],
    ['address', '2201 Peachtree Road NE, Atlanta, GA 30309', '2201 Peachtree Rd. Northeast'],
    ['text', 'Al-Hassan', 'al hassan it is'],
    ['code', 'LS6 2AB', 'my postcode is ls62ab'],
    ['code', 'LS6 2AB', 'LS6 2AB, Leeds'],
    ['code', 'oak', 'The word is oak, I am sure of that, for the tree in the yard'],
    ['date', '04/17/1979', 'DOB 1979/04/17'],
    ['phone', '617-555-0834', '1979-04-17 617-555-0834'],
    ['phone', '617-555-0834', '04/17/1979\n617-555-0834\n02110'],
  ] as const)('as a %s is found as people write it: %s in "%s" [R5-TALK-GOV-GATE]', (kind, value, said) => {
    expect(isStated(kind, value, ['Hello.', said])).toBe(true);
  });

  it.each([
    ['date', '04/17/1979', 'April 18th, 1979'],
    ['date', '04/17/1979', 'April 1979, the 17th'],
    ['phone', '617-555-0834', '617-555-0835'],
    ['phone', '617-555-0834', '555-0834'],
    ['email', 'wei.chen@gmail.com', 'xwei.chen@gmail.com'],
    ['email', 'wei.chen@gmail.com', 'wei.chen@gmail.com.evil.org'],
    ['address', '88 Harbor View Court, Boston', 'Harbor View Court'],
    ['address', '88 Harbor View Court, Boston', '188 Harbor View Court'],
    ['address', 'Boston', 'Boston'],
    ['phone', '', 'anything'],
    ['code', 'LS6 2AB', 'LS6 2A B2'],
  ] as const)('as a %s is not found where it is another one: %s in "%s" [R5-TALK-GOV-GATE]', (kind, value, said) => {
    expect(isStated(kind, value, [said])).toBe(false);
  });

  it('does not count among a list of guesses [R5-TALK-GOV-GATE]', () => {
    const numbers = Array.from({ length: 40 }, (_one, at) => `617-555-08${String(at).padStart(2, '0')}`);
    expect(isStated('phone', '617-555-0834', numbers.slice(32, 36))).toBe(true);
    expect(isStated('phone', '617-555-0834', numbers)).toBe(false);
    const codes = Array.from({ length: 40 }, (_one, at) => `LS6 ${at % 10}A${String.fromCharCode(65 + (at >> 1))}`);
    expect(isStated('code', 'LS6 2AB', codes.slice(0, 5))).toBe(true);
    expect(isStated('code', 'LS6 2AB', codes)).toBe(false);
    const streets = Array.from({ length: 200 }, (_one, at) => `${at} Oak Street`);
    expect(isStated('address', '12 Oak Street, Leeds', streets.slice(10, 20))).toBe(true);
    expect(isStated('address', '12 Oak Street, Leeds', streets)).toBe(false);
  });

  it('is equal to another spelling of itself', () => {
    expect(plainValue('phone', '+1 (617) 555-0834')).toBe(plainValue('phone', '617-555-0834'));
    expect(plainValue('date', '4/7/1979')).toBe(plainValue('date', '04/07/1979'));
    expect(plainValue('address', '1 Main Street, X')).toBe(plainValue('address', '1 main st X'));
    expect(plainValue('text', ' Ann  Lee')).toBe('ann lee');
  });

  it('is looked for in no time, whatever the text is', () => {
    const began = processorMs();
    for (const text of ['1 '.repeat(200_000), 'a@'.repeat(200_000), 'jan '.repeat(100_000), '('.repeat(200_000)])
      for (const kind of ['date', 'phone', 'email', 'address'] as const) isStated(kind, '04/17/1979', [text]);
    expect(processorMs() - began).toBeLessThan(3000);
  });
});
