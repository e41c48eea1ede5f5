import { describe, expect, it } from 'vitest';
import { shorten } from './amounts.js';
import { printable, printableLines } from './printable.js';

describe('text from outside', () => {
  it.each([
    ['an escape sequence', 'safe\u001b[2K\u001b[1Gevil', 'safe␛[2K␛[1Gevil'],
    ['a carriage return', 'harmless\rrm -rf /', 'harmlessrm -rf /'],
    ['a one-byte escape sequence', 'a\u009b2Jb', 'a\ufffd2Jb'],
    ['backspaces', 'rm x\b\b\b\bls', 'rm x␈␈␈␈ls'],
    ['a mark that reorders', 'a\u202egpj.exe', 'a\ufffdgpj.exe'],
    ['a bell and a delete', 'a\u0007b\u007f', 'a␇b␡'],
  ])('does not steer the terminal: %s', (_what, given, shown) => {
    expect(printable(given)).toBe(shown);
  });

  it('keeps lines, tabs, accents and emoji as they are', () => {
    expect(printableLines('é\t日本\r\n👩‍👩‍👧 ok')).toBe('é\t日本\n👩‍👩‍👧 ok');
  });

  it('begins no line of its own: a break is shown, or followed by an indentation [R8-TRIAL3-A11]', () => {
    expect(printable('a\r\nb\nc\u2028d\u0085e')).toBe('a␊b␊c\ufffdd\ufffde');
    expect(printableLines('a\nb\u2029c', '    ')).toBe('a\n    b\ufffdc');
  });

  it('is cut to one line without cutting through a character', () => {
    expect(shorten('one\ntwo\u001b[31m three', 100)).toBe('one two␛[31m three');
    expect(shorten('ab👩cd', 4)).toBe('ab…');
  });
});
