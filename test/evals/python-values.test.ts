import { describe, expect, it } from 'vitest';
import { strftime, strptime, tryStrptime } from '../../packages/evals/src/tau2/python/dates.js';
import { compareText, copyOf, pyEquals, typeName } from '../../packages/evals/src/tau2/python/equality.js';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { fixed, floatText, roundTo, thousands, toFloat, toInt } from '../../packages/evals/src/tau2/python/number.js';
import { sha256Hex } from '../../packages/evals/src/tau2/python/sha.js';
import { bind } from '../../packages/evals/src/tau2/python/signature.js';
import { isDigit, repr, splitWords, strip, titleCase } from '../../packages/evals/src/tau2/python/text.js';
import { PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';

const raised = (act: () => unknown): string => {
  try {
    return String(act());
  } catch (error) {
    if (error instanceof PyError) return `${error.kind}: ${error.message}`;
    throw error;
  }
};

/** Cases checked by hand, for machines without Python. */
describe('values as the reference has them', () => {
  it('tells whole numbers from floats in everything but equality [R5-PY-NUMBERS]', () => {
    expect(dumpJson(parseJson('[33, 33.0, 1e2, -0, -0.0]'))).toBe('[33, 33.0, 100.0, 0, -0.0]');
    expect(dumpJson(parseJson('[33, 1.5]', { integers: 'float' }))).toBe('[33.0, 1.5]');
    expect(pyEquals(parseJson('{"a": [1, true]}'), parseJson('{"a": [1.0, 1]}'))).toBe(true);
    expect(pyEquals('1', 1n)).toBe(false);
    expect(pyEquals(9007199254740993n, 9007199254740992)).toBe(false);
  });

  it('takes NaN for unlike itself, but for the same inside of containers [R5-PY-NUMBERS]', () => {
    expect(pyEquals(Number.NaN, Number.NaN)).toBe(false);
    expect(pyEquals([Number.NaN], [Number.NaN])).toBe(true);
  });

  it.each([
    [1e16, '1e+16'],
    [1e15, '1000000000000000.0'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e300, '1.5e+300'],
    [Number.NaN, 'nan'],
    [-Infinity, '-inf'],
  ])('prints the float %s as %s [R5-PY-NUMBERS]', (value, text) => {
    expect(floatText(value)).toBe(text);
  });

  it('rounds the exact binary value, ties to even [R5-PY-NUMBERS]', () => {
    expect([fixed(0.125, 2), fixed(2.5, 0), fixed(2.675, 2), fixed(1e22, 2), fixed(-0.001, 2)]).toEqual([
      '0.12',
      '2',
      '2.67',
      '10000000000000000000000.00',
      '-0.00',
    ]);
    expect([roundTo(2.5, 0), roundTo(0.00005, 4), roundTo(1250, -2)]).toEqual([2, 0.0001, 1200]);
    expect([thousands(1234567n), thousands(-1234.5, 2), thousands(999n)]).toEqual(['1,234,567', '-1,234.50', '999']);
  });

  it.each<[PyValue, string, string]>([
    [' 1_000.5 ', '1000.5', "ValueError: invalid literal for int() with base 10: ' 1_000.5 '"],
    ['\u0661\u0662', '12', '12'],
    [
      '$30',
      "ValueError: could not convert string to float: '$30'",
      "ValueError: invalid literal for int() with base 10: '$30'",
    ],
    [
      null,
      "TypeError: float() argument must be a string or a real number, not 'NoneType'",
      "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
    ],
    [2.9, '2.9', '2'],
    [Infinity, 'Infinity', 'OverflowError: cannot convert float infinity to integer'],
    [10n ** 400n, 'OverflowError: int too large to convert to float', String(10n ** 400n)],
  ])('converts %s as Python does [R5-PY-NUMBERS]', (value, float, int) => {
    expect(raised(() => toFloat(value))).toBe(float);
    expect(raised(() => toInt(value))).toBe(int);
  });

  it.each([
    ['', 'Expecting value: line 1 column 1 (char 0)'],
    ['{"a": 1} x', 'Extra data: line 1 column 10 (char 9)'],
    ["{'a': 1}", 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
    ['[1 2]', "Expecting ',' delimiter: line 1 column 4 (char 3)"],
    ['["\u{1f600}"\n 1]', "Expecting ',' delimiter: line 2 column 2 (char 6)"],
    ['"a', 'Unterminated string starting at: line 1 column 1 (char 0)'],
    ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
    ['"\\x"', 'Invalid \\escape: line 1 column 2 (char 1)'],
    ['"\\u12"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
    ['\ufeff{}', 'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)'],
  ])('names what is wrong with the JSON %j and where [R5-PY-TEXT]', (text, problem) => {
    expect(raised(() => parseJson(text))).toBe(`JSONDecodeError: ${problem}`);
  });

  it('bounds the depth of JSON and the length of its numbers, and takes nothing but text [R5-PY-TEXT]', () => {
    expect(raised(() => parseJson('['.repeat(100_000)))).toMatch(/^RecursionError: maximum recursion depth exceeded/);
    expect(raised(() => parseJson('1'.repeat(5000)))).toMatch(/^ValueError: Exceeds the limit \(4300 digits\)/);
    expect(raised(() => parseJson(new Map()))).toBe(
      'TypeError: the JSON object must be str, bytes or bytearray, not dict',
    );
    expect(parseJson('{"a": 1, "__proto__": 2, "a": 3}')).toEqual(
      new Map([
        ['a', 3n],
        ['__proto__', 2n],
      ]),
    );
  });

  it('writes JSON in ASCII, sorted by code point and indented on demand [R5-PY-TEXT]', () => {
    const value = parseJson('{"\u{1f600}": "é\\ud800\\u007f", "\uff5e": NaN, "b": [], "a": {}, "c": [1, {"x": null}]}');
    expect(dumpJson(value, { sortKeys: true })).toBe(
      '{"a": {}, "b": [], "c": [1, {"x": null}], "\\uff5e": NaN, "\\ud83d\\ude00": "\\u00e9\\ud800\\u007f"}',
    );
    expect(dumpJson(parseJson('{"a": [1], "b": {}}'), { indent: 2 })).toBe('{\n  "a": [\n    1\n  ],\n  "b": {}\n}');
    expect(compareText('\uff5e', '\u{1f600}')).toBeLessThan(0);
    expect(compareText('\ue000', '\u{1f600}')).toBeLessThan(0);
  });

  it('quotes as Python quotes [R5-PY-TEXT]', () => {
    expect(repr(["it's", '"', `'"`, 'a\n\u0085\u061c\u200b\u{e0001}é', null, true, 1n, 1])).toBe(
      `["it's", '"', '\\'"', 'a\\n\\x85\\u061c\\u200b\\U000e0001é', None, True, 1, 1.0]`,
    );
  });

  it('splits, strips, titles and counts digits as Python does [R5-PY-TEXT]', () => {
    expect(splitWords(' a\u001cb\u0085c\u00a0d\ufeffe ')).toEqual(['a', 'b', 'c', 'd\ufeffe']);
    expect(strip('\u2003x\u001f')).toBe('x');
    expect(strip('--x-y-', '-')).toBe('x-y');
    expect(titleCase("o'neil ßx \u01c6a 3rd_card \u0391\u03a3")).toBe("O'Neil Ssx \u01c5a 3Rd_Card \u0391\u03c2");
    expect([isDigit('\u00b2\u0661'), isDigit(''), isDigit('1.0'), isDigit('\u00bd')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('reads dates strictly where Python does, and laxly where it does [R5-PY-TEXT]', () => {
    expect(strftime(strptime('1/2/2025', '%m/%d/%Y'), '%Y-%m-%d %H:%M:%S')).toBe('2025-01-02 00:00:00');
    expect(['02/30/2025', '02/29/1900', '02/29/2000'].map((text) => tryStrptime(text, '%m/%d/%Y')?.day)).toEqual([
      undefined,
      undefined,
      29,
    ]);
    expect(() => tryStrptime(5n, '%m/%d/%Y')).toThrow('strptime() argument 1 must be str, not int');
    expect(raised(() => strptime('01/02/2025 ', '%m/%d/%Y'))).toBe('ValueError: unconverted data remains:  ');
  });

  it('fills in defaults when it binds arguments [R5-PY-TEXT]', () => {
    const parameters = [
      { name: 'a', required: true },
      { name: 'b', required: false, default: 'x' },
    ];
    expect([...bind('K.f', parameters, new Map([['a', null]]))]).toEqual([
      ['a', null],
      ['b', 'x'],
    ]);
  });

  it('copies deeply and hashes UTF-8 [R5-PY-TEXT]', () => {
    const inner: PyValue[] = [1n];
    const copy = copyOf(new Map([['a', inner]]));
    inner.push(2n);
    expect(copy).toEqual(new Map([['a', [1n]]]));
    expect(typeName(copy)).toBe('dict');
    expect(sha256Hex('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
