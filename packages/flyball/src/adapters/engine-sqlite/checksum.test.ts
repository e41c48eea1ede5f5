import { describe, expect, it } from 'vitest';
import { checksumOf, NO_CHECKSUM } from './checksum.js';

describe('the checksum of a row', () => {
  const body = '{"type":"complete","id":"#12","result":"42 ✓"}';
  const sum = (...parts: Parameters<typeof checksumOf>[1][]) => checksumOf(NO_CHECKSUM, ...parts);

  it('is a number that SQLite and JavaScript both keep exactly', () => {
    for (let n = 0; n < 1_000; n++) expect(Number.isSafeInteger(sum(`entry ${n}`))).toBe(true);
    expect(sum('')).toBeGreaterThanOrEqual(0);
  });

  it('is what it was when the files of today were written', () => {
    expect(sum('run-1', 0, 12, 1_700_000_000_000, 7, body)).toBe(3_895_803_352_585_917);
  });

  it('changes with every single bit of a text, of bytes and of a number', () => {
    const whole = sum(body);
    for (let at = 0; at < body.length; at++)
      for (let bit = 0; bit < 16; bit++) {
        const flipped = String.fromCharCode(body.charCodeAt(at) ^ (1 << bit));
        expect(sum(body.slice(0, at) + flipped + body.slice(at + 1))).not.toBe(whole);
      }
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length * 8; at++) {
      const other = Buffer.from(bytes);
      other[at >> 3] = (other[at >> 3] ?? 0) ^ (1 << (at & 7));
      expect(sum(other)).not.toBe(sum(bytes));
    }
    for (let bit = 0; bit < 53; bit++) expect(sum(2 ** bit)).not.toBe(sum(0));
  });

  it('tells parts apart by kind, length and order, and goes on from the one before', () => {
    const sums = [sum('ab', 'c'), sum('a', 'bc'), sum('abc'), sum('c', 'ab'), sum('abc', ''), sum('abc', null)];
    sums.push(sum('1'), sum(1), sum(Buffer.from('1')), sum(null), sum(''), checksumOf(7, 'abc'), checksumOf(8, 'abc'));
    expect(new Set(sums).size).toBe(sums.length);
  });

  it('spreads: of 200,000 entries that differ in a digit or two, no two share it, nor its low or high half by more than chance', () => {
    const sums = Array.from({ length: 200_000 }, (_, n) => sum('run-1', 0, n, 1_700_000_000_000 + (n % 10), 0, body));
    expect(new Set(sums).size).toBe(sums.length);
    const low = new Set(sums.map((one) => one % 2 ** 26)).size;
    const high = new Set(sums.map((one) => Math.floor(one / 2 ** 27))).size;
    for (const found of [low, high]) expect(found).toBeGreaterThan(199_500); // 200,000 in 2^26 places: 199,700 expected
  });
});
