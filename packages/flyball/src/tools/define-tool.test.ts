import { changed, type EffectContext, type StandardSchema, type ToolRef } from 'flyball';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { check } from '../core/schema.js';
import { type DefinedTool, tool, toolFrom } from './index.js';
import type { LooseDefinition } from './tool-definition.js';

const how: EffectContext = { key: 'k', signal: new AbortController().signal };

/** As valibot's schemas are: they check, and do not describe themselves. */
const wordless: StandardSchema<unknown, { readonly id: number }> = {
  '~standard': {
    version: 1,
    vendor: 'wordless',
    validate: (value) => {
      const { id } = (value ?? {}) as { readonly id?: unknown };
      return typeof id === 'string'
        ? { value: { id: Number(id) } }
        : { issues: [{ message: 'no text', path: ['id'] }] };
    },
  },
};

const order = {
  name: 'order',
  description: 'Orders a part. Not for returns.',
  input: { type: 'object', properties: { part: { type: 'string' } }, required: ['part'] },
  effect: 'idempotent',
  execute: async () => 'ordered',
} satisfies LooseDefinition;

describe('a tool', () => {
  it('takes its arguments as the output of a zod schema, and shows models its input [R3-TOOL-DEFINE]', async () => {
    const area = tool({
      name: 'area',
      description: 'Area of a square.',
      input: z.object({ side: z.string().transform(Number).describe('in metres'), unit: z.string().default('m2') }),
      effect: 'pure',
      execute: async ({ side, unit }) => {
        expectTypeOf(side).toEqualTypeOf<number>();
        return `${side * side} ${unit}`;
      },
    });
    expectTypeOf(area).toEqualTypeOf<
      DefinedTool<{ side: number; unit: string }, string, { side: string; unit?: string | undefined }>
    >();
    const checked = await check(area.input, { side: '4' });
    expect(checked).toEqual({ ok: true, value: { side: 4, unit: 'm2' } });
    expect(await area.execute({ side: 4, unit: 'm2' }, how)).toBe('16 m2');
    expect(area.inputJsonSchema).toEqual({
      type: 'object',
      properties: { side: { type: 'string', description: 'in metres' }, unit: { type: 'string', default: 'm2' } },
      required: ['side'],
    });
  });

  it('takes plain JSON Schema and checks arguments against it [R3-TOOL-DEFINE]', async () => {
    const { input } = tool({
      name: 'search',
      description: 'Searches.',
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { query: { type: 'string', minLength: 1 }, near: { $ref: '#/$defs/place' } },
        required: ['query'],
        additionalProperties: false,
        $defs: { place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } },
      },
      effect: 'pure',
      execute: async ({ query }: { query: string }) => [query],
    });
    expect(await check(input, { query: 'a', near: { lat: 1 } })).toMatchObject({ ok: true });
    expect(await check(input, { query: 'a', near: undefined })).toEqual({ ok: true, value: { query: 'a' } });
    const problemOf = async (args: unknown) => ((await check(input, args)) as { readonly problem?: string }).problem;
    expect(await problemOf({})).toBe('the field "query" is missing');
    expect(await problemOf({ query: 7 })).toBe('query: expected "string", got "number"');
    expect(await problemOf({ query: 'a', near: {} })).toBe('near: the field "lat" is missing');
    expect(await problemOf({ query: 'a', 'c/d': 1 })).toBe('c/d: is not a known field');
    expect(await problemOf(undefined)).toContain('there is no value');
  });

  it('keeps to the draft that its JSON Schema names', async () => {
    const inDraft = (draft: string) =>
      tool({
        ...order,
        input: {
          $schema: draft,
          type: 'object',
          // beside a $ref nothing counts in draft 7, and everything since 2019
          properties: { part: { $ref: '#/definitions/word', minLength: 5 } },
          definitions: { word: { type: 'string' } },
        },
      });
    const old = inDraft('http://json-schema.org/draft-07/schema#');
    expect(await check(old.input, { part: 'nut' })).toMatchObject({ ok: true });
    expect(old.inputJsonSchema).not.toHaveProperty('$schema');
    const now = inDraft('https://json-schema.org/draft/2020-12/schema');
    expect(await check(now.input, { part: 'nut' })).toMatchObject({ ok: false });
  });

  it('takes a JSON Schema whose parts refer to each other by name', async () => {
    const input = {
      type: 'object',
      properties: { whole: { $ref: '#' }, part: { $ref: '#word' } },
      $defs: { word: { $anchor: 'word', type: 'string' } },
    };
    const named = tool({ ...order, input });
    expect(await check(named.input, { part: 'nut', whole: { part: 'bolt' } })).toMatchObject({ ok: true });
    expect(await check(named.input, { whole: { part: 7 } })).toMatchObject({ ok: false });
  });

  it('takes a schema that cannot describe itself together with its JSON Schema', async () => {
    const described = tool({
      name: 'find',
      description: 'Finds by id.',
      input: wordless,
      inputJsonSchema: { type: 'object', properties: { id: { type: 'string' } } },
      effect: 'pure',
      execute: async ({ id }) => id + 1,
    });
    expectTypeOf(described).toEqualTypeOf<DefinedTool<{ readonly id: number }, number>>();
    expect(await check(described.input, { id: '7' })).toEqual({ ok: true, value: { id: 7 } });
    expect(described.inputJsonSchema).toEqual({ type: 'object', properties: { id: { type: 'string' } } });
  });

  it('without an input takes no arguments', async () => {
    const { input, inputJsonSchema } = tool({
      name: 'now',
      description: 'Time.',
      effect: 'pure',
      execute: async () => 1,
    });
    expect(inputJsonSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect(await check(input, {})).toMatchObject({ ok: true });
    expect(await check(input, { zone: 'UTC' })).toMatchObject({ ok: false, problem: 'zone: is not a known field' });
  });

  it('works out the schema for models once, and keeps it from later changes', () => {
    let asked = 0;
    const counting: StandardSchema = {
      '~standard': {
        ...wordless['~standard'],
        jsonSchema: { input: () => ({ type: 'object', properties: {}, n: ++asked }), output: () => ({}) },
      },
    };
    const made = tool({ ...order, input: counting });
    expect([made.inputJsonSchema, made.inputJsonSchema]).toEqual([
      expect.objectContaining({ n: 1 }),
      made.inputJsonSchema,
    ]);
    expect(asked).toBe(1);

    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const kept = tool({ ...order, input: schema });
    schema.properties.a.type = 'number';
    expect(kept.inputJsonSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
    expect(() => Object.assign(kept.inputJsonSchema['properties'] as object, { b: {} })).toThrow(TypeError);
  });

  it('carries effect rules, legs, scopes, time, retries, reservation, touches and presentation [R3-TOOL-DEFINE]', async () => {
    const write = tool({
      name: 'write',
      description: 'Writes a file. Not for directories.',
      input: z.object({ path: z.string() }),
      effect: 'undoable',
      execute: async ({ path }) => changed({ bytes: path.length }, { filesChanged: 1 }),
      legs: ['private-data'],
      scopes: ['files:write'],
      timeoutMs: 500,
      retry: { retries: 0, breaker: { failures: 3, openMs: 1000 } },
      tags: ['files'],
      reserve: () => ({ filesChanged: 1 }),
      touches: ({ path }) => ({ writes: [{ path }] }),
      compensate: async ({ path }, result) => {
        expectTypeOf(path).toEqualTypeOf<string>();
        expectTypeOf(result).toEqualTypeOf<{ bytes: number }>();
      },
      verify: async () => ({ happened: 'yes', result: { bytes: 1 } }),
      simulate: () => ({ bytes: 0 }),
      present: ({ bytes }) => `${bytes} bytes`,
    });
    expectTypeOf(write).toEqualTypeOf<DefinedTool<{ path: string }, { bytes: number }, { path: string }>>();
    expect(write).toMatchObject({
      legs: ['private-data'],
      scopes: ['files:write'],
      timeoutMs: 500,
      retry: { retries: 0 },
      tags: ['files'],
      effect: { class: 'undoable', compensate: expect.any(Function), verify: expect.any(Function) },
    });
    expect(write.reserve?.({ path: 'a' })).toEqual({ filesChanged: 1 });
    expect(write.touches?.({ path: 'a' })).toEqual({ writes: [{ path: 'a' }] });
    expect(write.present?.({ bytes: 3 })).toBe('3 bytes');
    expect((write.effect as { simulate(input: unknown): unknown }).simulate({ path: 'a' })).toEqual({ bytes: 0 });
    expectTypeOf(write).toExtend<ToolRef<{ bytes: number }>>();
  });

  it.each([
    ['pure', 'pure'],
    ['idempotent', 'idempotent'],
    ['irreversible', { class: 'irreversible', why: 'money leaves' }],
  ] as const)('of kind %s becomes the effect class %o', (effect, made) => {
    const why = effect === 'irreversible' ? { why: 'money leaves' } : {};
    expect(toolFrom({ ...order, effect, ...why }).effect).toEqual(made);
  });

  it('takes a whole effect class as it is', () => {
    const effect = { class: 'undoable', compensate: async () => undefined } as const;
    expect(tool({ ...order, effect }).effect).toBe(effect);
  });

  it('made of an instance keeps its methods on the instance', async () => {
    class Counter {
      readonly name = 'count';
      readonly description = 'Counts.';
      readonly effect = 'undoable' as const;
      private n = 0;
      async execute(): Promise<number> {
        return ++this.n;
      }
      async compensate(): Promise<void> {
        this.n = 0;
      }
    }
    const count = tool(new Counter());
    await count.execute({}, how);
    await (count.effect as unknown as { compensate(): Promise<void> }).compensate();
    expect(await count.execute({}, how)).toBe(1);
  });

  it('can be made again from a tool that is already one', async () => {
    const made = tool({ ...order, tags: ['shop'] });
    expect(toolFrom(made)).toMatchObject({ ...made, execute: expect.any(Function) });
  });
});

describe('a definition is refused with a sentence', () => {
  const undo = async () => undefined;
  it.each<[string, object, string]>([
    ['without a name', { name: undefined }, 'Nothing is not a valid tool name'],
    [
      'with a name no provider takes',
      { name: 'read file' },
      '"read file" is not a valid tool name. Providers accept 1 to 64',
    ],
    ['with a name that is too long', { name: 'x'.repeat(65) }, 'is not a valid tool name'],
    ['without a description', { description: ' ' }, 'Tool "order": the description is empty'],
    ['without execute', { execute: undefined }, 'execute is not a function'],
    ['without an effect', { effect: undefined }, 'effect is missing. Set the effect class: pure, idempotent'],
    ['with an unknown effect', { effect: 'safe' }, 'effect is "safe"'],
    [
      'undoable without a compensation',
      { effect: 'undoable' },
      'it is undoable, but nothing says how. Give compensate',
    ],
    ['undoable as a class without one', { effect: { class: 'undoable' } }, 'it is undoable, but nothing says how'],
    [
      'irreversible with a compensation',
      { effect: 'irreversible', compensate: undo },
      'irreversible and has a compensation',
    ],
    ['pure with a compensation', { effect: 'pure', compensate: undo }, 'nothing to compensate'],
    ['with a reason nobody is asked for', { why: 'money leaves' }, 'but this one is idempotent'],
    [
      'with rules beside a class',
      { effect: { class: 'pure' }, verify: undo },
      'verify cannot be set next to a complete effect class',
    ],
    ['with a rule that is no function', { compensate: 'undo' }, 'compensate is not a function'],
    [
      'irreversible with retries',
      { effect: 'irreversible', retry: { retries: 2 } },
      'asks for 2 retries, but an irreversible effect is never repeated by itself',
    ],
    [
      'undoable with retries',
      { effect: 'undoable', compensate: undo, retry: { retries: 1 } },
      'an undoable effect is never repeated',
    ],
    ['with half a retry', { retry: { retries: 1.5 } }, 'retry.retries is 1.5'],
    ['with a negative delay', { retry: { baseDelayMs: -1 } }, 'retry.baseDelayMs is -1'],
    [
      'with a breaker that never closes',
      { retry: { breaker: { failures: 1, openMs: Infinity } } },
      'retry.breaker.openMs',
    ],
    [
      'with a breaker that is always open',
      { retry: { breaker: { failures: 0, openMs: 1 } } },
      'retry.breaker.failures is 0',
    ],
    ['with no time at all', { timeoutMs: 0 }, 'timeoutMs is 0'],
    ['with an unknown leg', { legs: ['outgoing'] }, 'there is no leg "outgoing"'],
    ['with scopes that are no list', { scopes: 'all' }, 'scopes must be a list of words'],
    ['with a surface of nothing', { surface: 0 }, 'surface is 0'],
    [
      'that nobody can approve',
      { approval: { people: Number.NaN } },
      'Tool "order": its approval is not valid. An approval needs at least one person',
    ],
    ['whose approval ends before it begins', { approval: { timeoutMs: -1 } }, 'timeout of an approval'],
    ['whose approval is misspelt', { approval: { scope: ['cfo'] } }, 'An approval has no field "scope"'],
    ['with an input that is no schema', { input: 'text' }, 'input is "text". Give a Standard Schema'],
    [
      'with JSON Schema of a list',
      { input: { type: 'array' } },
      'its input is of type "array", but providers take only objects',
    ],
    ['with JSON Schema without a type', { input: { properties: {} } }, 'without "type": "object"'],
    [
      'with a union at the top',
      { input: z.union([z.object({ a: z.string() }), z.object({})]) },
      'its input is a union',
    ],
    [
      'with types JSON does not have',
      { input: z.object({ at: z.date() }) },
      'zod cannot write its input as JSON Schema: Date',
    ],
    [
      'with a schema that does not describe itself',
      { input: wordless },
      'wordless does not say what its input looks like',
    ],
    ['with code in its JSON Schema', { input: { type: 'object', default: () => 1 } }, 'is not plain data'],
    [
      'with a misspelt type inside',
      { input: { type: 'object', properties: { list: { type: 'array', items: { type: 'strng' } } } } },
      'input.properties.list.items.type: there is no type "strng"',
    ],
    [
      'with a dangling $ref',
      { input: { type: 'object', properties: { a: { $ref: '#/$defs/x' } } } },
      'points to "#/$defs/x"',
    ],
    ['with a $ref elsewhere', { input: { type: 'object', allOf: [{ $ref: 'https://a.b/c' }] } }, 'put it under $defs'],
    [
      'with a bad pattern',
      { input: { type: 'object', properties: { a: { pattern: '(' } } } },
      'input.properties.a.pattern: Invalid',
    ],
    [
      'with required that is no list',
      { input: { type: 'object', required: 'a' } },
      'input.required must be a list of names',
    ],
    [
      'with a property that is no schema',
      { input: { type: 'object', properties: { a: 'text' } } },
      'input.properties.a is "text"',
    ],
  ])('%s', (_, wrong, sentence) => {
    const definition: unknown = { ...order, ...wrong };
    expect(() => toolFrom(definition)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
    expect(() => toolFrom(definition)).toThrow(sentence);
  });
});

it('the compiler refuses what cannot be: kinds without their rules, and rules without their kind', () => {
  const { effect: _, ...rest } = order;
  // @ts-expect-error: undoable needs a compensation
  expect(() => tool({ ...rest, effect: 'undoable' })).toThrow();
  // @ts-expect-error: irreversible has none
  expect(() => tool({ ...rest, effect: 'irreversible', compensate: async () => undefined })).toThrow();
});

describe('a tool that people have to do with', () => {
  const question = {
    widget: 'confirm',
    prompt: 'Really?',
    answer: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
    answerJsonSchema: { type: 'boolean' },
  } as const;

  it('keeps its question, its review and who has to approve it [R4-PEOPLE-KINDS]', () => {
    const parts = { name: 'ask', description: 'Asks.', effect: 'pure', execute: async () => null } as const;
    const made = tool({
      ...parts,
      asks: () => question,
      review: () => ({ risk: 'high' }),
      approval: { people: 2 },
    });
    expect(made.asks?.({} as never)).toBe(question);
    expect(made.review?.({} as never)).toEqual({ risk: 'high' });
    expect(made.approval).toEqual({ people: 2 });
  });

  it('is refused when it asks and claims to change something', () => {
    const definition = {
      name: 'ask',
      description: 'Asks.',
      effect: 'idempotent',
      asks: () => question,
      execute: async () => null,
    } as const;
    expect(() => tool(definition)).toThrow('declare it pure');
  });
});
