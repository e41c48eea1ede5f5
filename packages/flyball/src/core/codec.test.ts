import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentId, crossed, decode, encode, fingerprint, referencesIn, roundTrip } from './codec.js';
import { FlyballError } from './errors.js';

const long = 'x'.repeat(160);

describe('a value that crosses the journal', () => {
  it('comes back equal, whatever JSON it is [R2-EFFECT-ENCODED]', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ minLength: 150, maxLength: 200 }),
      fc.string().map((rest) => `\u0000${rest}`),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.array(tie('value')),
        // __proto__ is no member of data that JSON.parse and literals agree on
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          tie('value'),
        ),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        expect(roundTrip(given)).toEqual(given);
      }),
    );
  });

  it('is a copy: later changes of the original are not seen [R2-EFFECT-ENCODED]', () => {
    const given = { list: [1, 2] };
    const copy = roundTrip(given);
    given.list.push(3);
    expect(copy).toEqual({ list: [1, 2] });
  });

  it('may be undefined, at its root or as a member, which is then left out', () => {
    expect(roundTrip(undefined)).toBeUndefined();
    expect(Object.keys(roundTrip({ a: 1, b: undefined }))).toEqual(['a']);
  });

  it('keeps a string that begins with NUL, and one that looks like a reference', () => {
    for (const text of ['\u0000', '\u0000b', '\u0000s', `\u0000b${contentId(long)}`, '\\u0000b', `\u0000${long}`]) {
      expect(roundTrip({ text })).toEqual({ text });
    }
  });
});

describe('long strings', () => {
  it('are stored once by content and referred to', () => {
    const { body, blobs } = encode({ first: long, second: [long, 'short'] });
    expect(body).not.toContain(long);
    expect(new Set(blobs.map(([id]) => id))).toEqual(new Set([contentId(long)]));
    expect(referencesIn(body)).toEqual([contentId(long), contentId(long)]);
    expect(decode(body, new Map(blobs))).toEqual({ first: long, second: [long, 'short'] });
  });

  it('stay inline below the length at which a reference pays', () => {
    expect(encode('x'.repeat(159)).blobs).toEqual([]);
    expect(encode(long).blobs).toHaveLength(1);
  });

  it('whose content is lost are an error that names it, never an empty string', () => {
    const { body } = encode(long);
    expect(() => decode(body, new Map())).toThrow(
      expect.objectContaining({ code: 'JOURNAL_CORRUPT', message: expect.stringContaining(contentId(long)) }),
    );
  });
});

class Money {
  readonly cents = 5;
}
const cycle: { self?: unknown } = {};
cycle.self = cycle;

describe('what JSON would drop or change', () => {
  it.each([
    ['a Date', { at: new Date(0) }, '.at', /Date/],
    ['NaN', { ratio: Number.NaN }, '.ratio', /NaN/],
    ['an infinity', { max: Number.POSITIVE_INFINITY }, '.max', /Infinity/],
    ['a function', { run: () => 1 }, '.run', /function/],
    ['a symbol', { mark: Symbol('x') }, '.mark', /symbol/],
    ['a bigint', { big: 1n }, '.big', /bigint/],
    ['a class instance', { price: new Money() }, '.price', /Money/],
    ['a Map', { index: new Map() }, '.index', /Map/],
    ['an Error', { why: new Error('no') }, '.why', /Error/],
    ['undefined in an array', { list: [1, undefined] }, '.list[1]', /null/],
    ['a hole in an array', { list: new Array(1) }, '.list[0]', /null/],
    ['a value deep inside an array', { list: [{ deep: { bad: Number.NaN } }] }, '.list[0].deep.bad', /NaN/],
  ])('is refused with its place: %s [R2-EFFECT-ENCODED]', (_what, value, path, why) => {
    const error = refusal(value);
    expect(error).toMatchObject({ code: 'VALUE_NOT_SERIALIZABLE', retryable: false, detail: { path } });
    expect(error.message).toContain(`at ${path}:`);
    expect(error.message).toMatch(why);
  });

  it('is refused at the root too', () => {
    expect(refusal(new Date(0)).message).toContain('its root');
  });

  it('is refused when it is cyclic, instead of overflowing the stack', () => {
    expect(refusal(cycle)).toMatchObject({
      code: 'VALUE_NOT_SERIALIZABLE',
      message: expect.stringContaining('cyclic'),
    });
  });

  it('is refused when it would hide behind toJSON', () => {
    expect(() => encode({ at: { toJSON: () => 'other' } })).toThrow(FlyballError);
  });
});

describe('a fingerprint', () => {
  it('tells kind, name and input apart [R2-EFFECT-FINGERPRINT]', () => {
    const all = [
      fingerprint('step', 'a', { n: 1 }),
      fingerprint('call', 'a', { n: 1 }),
      fingerprint('step', 'b', { n: 1 }),
      fingerprint('step', 'a', { n: 2 }),
      fingerprint('step', 'a', undefined),
      fingerprint('step', 'a', null),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(fingerprint('step', 'a', { n: 1 })).toBe(all[0]);
  });
});

function refusal(value: unknown): FlyballError {
  try {
    encode(value);
  } catch (error) {
    if (error instanceof FlyballError) return error;
  }
  throw new Error('It was not refused.');
}

describe('the short way across the journal', () => {
  it('gives back what encoding and decoding give back [R2-EFFECT-ENCODED]', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.string({ minLength: 150, maxLength: 200 }),
        fc.constant('\u0000b'),
        fc.constantFrom(null, true, false, 0, -0, 1e300, -1.5),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          fc.oneof(fc.string(), fc.constantFrom('__proto__', '1', 'toJSON')),
          fc.option(tie('value'), { nil: undefined }),
        ),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        const { body, blobs } = encode(given);
        const long = decode(body, new Map(blobs));
        const short = crossed(given);
        expect(short).toStrictEqual(long);
        expect(JSON.stringify(short)).toBe(JSON.stringify(long)); // members in the same order too
      }),
    );
  });
});
