import { describe, expect, it } from 'vitest';
import { check, type JsonSchema } from '../core/schema.js';
import { isCalendarDate } from './calendar-date.js';
import { plainSchema } from './plain-schema.js';

const problem = async (schema: JsonSchema, value: unknown): Promise<string | undefined> => {
  const checked = await check(plainSchema(schema), value);
  return checked.ok ? undefined : checked.problem;
};

describe('a plain schema', () => {
  it('answers at once', () => {
    expect(plainSchema({ type: 'string' })['~standard'].validate('a')).toEqual({ value: 'a' });
  });

  it.each<readonly [JsonSchema, unknown, string | undefined]>([
    [{ type: 'string' }, 7, 'must be text'],
    [{ type: 'string', minLength: 3 }, 'ab', 'must have at least 3 characters'],
    [{ type: 'string', pattern: '^a' }, 'ba', 'must match ^a'],
    [{ type: 'string', format: 'date' }, '2026-02-29', 'must be a calendar date such as 2026-01-31'],
    [{ type: 'number', minimum: 1 }, 0.5, 'must be at least 1'],
    [{ type: 'number' }, Number.NaN, 'must be a number'],
    [{ type: 'integer' }, 2 ** 53, 'must be a whole number'],
    [{ type: 'boolean' }, 'true', 'must be true or false'],
    [{ type: 'null' }, undefined, 'must be null'],
    [{ type: 'array' }, {}, 'must be a list'],
    [{ type: 'object' }, [], 'must be an object'],
    [{ const: { a: 1 } }, { a: 2 }, 'must be {"a":1}'],
    [{ const: { a: 1 } }, { a: 1 }, undefined],
    [{ enum: ['a', 1] }, 2, 'must be one of "a", 1'],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], '1: must be text'],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'contains 2; at most 1 are allowed'],
    [{ type: 'array', uniqueItems: true }, [{ a: 1 }, { a: 1 }], 'must not contain duplicates'],
    [{ type: 'object', required: ['a'] }, { a: undefined }, 'a: is missing'],
    [
      { type: 'object', properties: {}, additionalProperties: false },
      { toString: 1 },
      'toString: is not a known field',
    ],
    [
      { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } } },
      { a: { b: 'x' } },
      'a.b: must be a whole number',
    ],
  ])('checks %j against %j', async (schema, value, sentence) => {
    expect(await problem(schema, value)).toBe(sentence);
  });

  it('adds what JSON Schema cannot say, once the rest fits', async () => {
    const even = plainSchema<number>({ type: 'integer' }, (n) => (n % 2 === 0 ? undefined : 'must be even'));
    expect(await check(even, 3)).toEqual({ ok: false, problem: 'must be even' });
    expect(await check(even, 'x')).toEqual({ ok: false, problem: 'must be a whole number' });
    expect(await check(even, 4)).toEqual({ ok: true, value: 4 });
  });

  it.each<readonly [JsonSchema, string]>([
    [{ oneOf: [] }, 'uses "oneOf"'],
    [{ type: 'strng' }, 'schema.type is "strng"'],
    [{ type: ['string', 'null'] }, 'schema.type is ["string","null"]'],
    [{ properties: { a: { format: 'email' } } }, 'schema.properties.a.format is "email"'],
    [{ type: 'string', pattern: '(' }, 'schema.pattern: '],
    [{ items: true }, 'schema.items is not a JSON Schema object'],
  ])('refuses %j instead of passing a rule over', (schema, sentence) => {
    expect(() => plainSchema(schema)).toThrow(sentence);
  });

  it('is a copy: who gave it may go on changing it', async () => {
    const schema: Record<string, unknown> = { type: 'string' };
    const made = plainSchema(schema);
    schema['type'] = 'number';
    expect(await check(made, 'text')).toMatchObject({ ok: true });
  });
});

it.each([
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['2026-01-01T00:00', false],
])('%s is a day of the calendar: %s', (text, expected) => {
  expect(isCalendarDate(text)).toBe(expected);
});
