import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256 } from './canonical.js';
import { FlyballError } from './errors.js';

describe('canonicalJson', () => {
  it('writes the example of RFC 8785 as the RFC does', () => {
    const example = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts members by UTF-16 code units, as the RFC does', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it('writes the same text whatever the order of members, and loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('leaves out members that are undefined, as the journal does', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it.each([
    ['an undefined root', undefined, 'its root'],
    ['an undefined element', { list: [1, undefined] }, '.list[1]'],
    ['a hole', new Array(2), '[0]'],
    ['NaN', { a: Number.NaN }, '.a'],
    ['a bigint', { a: { b: 1n } }, '.a.b'],
    ['a Map', { a: new Map() }, '.a'],
    ['a Date', new Date(0), 'its root'],
  ])('refuses %s and names the place', (_name, value, place) => {
    expect(() => canonicalJson(value)).toThrow(FlyballError);
    expect(() => canonicalJson(value)).toThrow(place);
  });

  it('refuses a cycle instead of overflowing', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    expect(() => canonicalJson(cyclic)).toThrow('cyclic');
  });
});

it('takes SHA-256 over UTF-8, in hex', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('ä')).toBe(
    createHash('sha256')
      .update(Buffer.from([0xc3, 0xa4]))
      .digest('hex'),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
