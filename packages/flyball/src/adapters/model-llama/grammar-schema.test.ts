import { describe, expect, it } from 'vitest';
import { argumentSchema, grammarSchema } from './grammar-schema.js';

const ANY = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

describe('a JSON schema for a grammar', () => {
  it.each([
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { oneOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ type: ['integer', 'null'] }, { oneOf: [{ type: 'integer' }, { type: 'null' }] }],
    [{ type: 'string', format: 'email', pattern: '@' }, { type: 'string' }],
    [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date' },
    ],
    [
      { type: 'string', minLength: 1, maxLength: 9 },
      { type: 'string', minLength: 1, maxLength: 9 },
    ],
    [{ allOf: [{ type: 'boolean' }] }, { type: 'boolean' }],
    [{ allOf: [{ type: 'object' }, { required: ['a'] }] }, ANY],
    [{ enum: ['a', 1, null] }, { enum: ['a', 1, null] }],
    [{ enum: [{ a: 1 }] }, ANY],
    [{ const: false }, { const: false }],
    [{}, ANY],
    [true, ANY],
    [
      { type: 'array', items: { type: 'number' }, maxItems: 3 },
      { type: 'array', items: { type: 'number' }, maxItems: 3 },
    ],
    [{ type: 'object' }, { type: 'object', additionalProperties: true }],
    [{ type: 'object', additionalProperties: false }, { type: 'object' }],
  ])('of %j is %j [R13-LLAMA-JSON]', (given, expected) => {
    expect(grammarSchema(given)).toEqual(expected);
  });

  it('lets optional properties be left out', () => {
    const properties = { a: { type: 'string' }, b: { type: 'number' } };
    expect(grammarSchema({ type: 'object', properties, required: ['a'] })).toEqual({
      oneOf: [
        { type: 'object', properties },
        { type: 'object', properties: { a: { type: 'string' } } },
      ],
    });
  });

  it('follows references, and stops where they go round in circles', () => {
    const tree = {
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } }, required: ['next'] } },
    };
    const text = JSON.stringify(grammarSchema(tree));
    expect(text).toContain('"properties":{"next":{"type":"object"');
    expect(text).toContain(JSON.stringify(ANY));
    expect(text.length).toBeLessThan(1_000);
  });

  it('of arguments is always one of an object', () => {
    expect(argumentSchema({})).toEqual({ type: 'object', additionalProperties: true });
    expect(argumentSchema({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
    });
  });
});
