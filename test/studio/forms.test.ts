import { describe, expect, it } from 'vitest';
import { draftOf, fieldsOf, written } from '../../packages/studio/src/forms/fields.js';
import { problemsIn } from '../../packages/studio/src/forms/schema-problems.js';
import { boundsIn } from '../../packages/studio/src/playground/bounds.js';
import { keepInput, lastInput } from '../../packages/studio/src/playground/last-input.js';

const SCHEMA = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'what you want to know', default: 'When?' },
    code: { type: 'string', maxLength: 8, pattern: '^[A-Z]+$' },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    careful: { type: 'boolean' },
    size: { enum: ['small', 'large', 3] },
    day: { type: 'string', format: 'date' },
    lines: {
      type: 'array',
      items: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
    },
  },
  required: ['question', 'count'],
  additionalProperties: false,
} as const;

const fields = fieldsOf(SCHEMA) ?? [];

describe('the form of a schema', () => {
  it('has a control for each kind of value, with its default and description [R6-STUDIO-PLAYGROUND]', () => {
    expect(fields.map(({ name, control }) => [name, control])).toEqual([
      ['question', 'text'],
      ['code', 'line'],
      ['count', 'number'],
      ['careful', 'yes-no'],
      ['size', 'choice'],
      ['day', 'date'],
      ['lines', 'json'],
    ]);
    expect(fields[0]).toMatchObject({ required: true, description: 'what you want to know', initial: 'When?' });
    expect(draftOf(fields)).toMatchObject({ question: 'When?', count: '' });
    expect(fieldsOf({ type: 'string' })).toBeUndefined();
    expect(fieldsOf(undefined)).toBeUndefined();
  });

  it('makes the value that was written, leaves out what is empty, and takes a value back into its controls', () => {
    const draft = { question: 'Why?', count: '3', careful: 'false', size: '3', day: '', lines: '[{"amount":2}]' };
    const { value, problems } = written(fields, draft, SCHEMA);
    expect(problems).toEqual({});
    expect(value).toEqual({ question: 'Why?', count: 3, careful: false, size: 3, lines: [{ amount: 2 }] });
    expect(written(fields, draftOf(fields, value), SCHEMA)).toEqual({ value, problems: {} });
  });

  it('says beside each field what is wrong with it, before anything is sent', () => {
    const draft = { question: '', code: 'a1', count: '12', size: '"huge"', lines: '[{}]' };
    expect(written(fields, draft, SCHEMA).problems).toEqual({
      question: 'is required',
      code: 'must match ^[A-Z]+$',
      count: 'must be at most 9',
      size: 'must be one of "small", "large", 3',
      lines: 'lines.0.amount is required',
    });
    expect(written(fields, { question: 'x', count: '1.5', lines: '[' }, SCHEMA).problems).toMatchObject({
      count: 'must be a whole number',
      lines: expect.stringContaining('is not JSON'),
    });
  });

  it('lets words of JSON Schema pass that it does not know: the server has the last word', () => {
    expect(problemsIn({ type: 'string', format: 'email', contentEncoding: 'x', pattern: '(' }, 'no address')).toEqual(
      [],
    );
    expect(problemsIn({ type: ['string', 'null'] }, null)).toEqual([]);
    expect(problemsIn({ type: ['string', 'null'] }, 1)).toEqual([{ at: '', message: 'must be text or null' }]);
    expect(problemsIn(SCHEMA, { question: 'x', count: 1, other: 1 })).toEqual([
      { at: 'other', message: 'is not a known field' },
    ]);
  });
});

describe('bounds of one run', () => {
  it('may only be lowered: what is above those of the agent is refused before it is sent [R6-STUDIO-PLAYGROUND]', () => {
    const own = { costUsd: 0.2, wallMs: 60_000, modelCalls: 10 };
    expect(boundsIn({ costUsd: '0.1', wallMs: '30', modelCalls: '' }, own)).toEqual({
      budget: { costUsd: 0.1, wallMs: 30_000 },
      problems: {},
    });
    expect(boundsIn({ costUsd: '0.3', wallMs: '90', modelCalls: '-1' }, own)).toEqual({
      budget: {},
      problems: { costUsd: 'must be at most 0.2', wallMs: 'must be at most 60', modelCalls: 'must be 0 or more' },
    });
  });
});

describe('the last input of an agent', () => {
  it('is remembered for each agent, unless it is too long to keep [R6-STUDIO-PLAYGROUND]', () => {
    const kept = new Map<string, string>();
    const place = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
    };
    keepInput('desk', { a: 1 }, place);
    keepInput('other', { text: 'x'.repeat(200_000) }, place);
    expect(lastInput('desk', place)).toEqual({ a: 1 });
    expect(lastInput('other', place)).toBeUndefined();
    kept.set('flyball.input.desk', '{');
    expect(lastInput('desk', place)).toBeUndefined();
  });
});
