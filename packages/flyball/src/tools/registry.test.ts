import type { Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { check } from '../core/schema.js';
import { type DefinedTool, tool, toolRegistry, toolset } from './index.js';
import { toolSpecOf } from './tool-spec.js';

const named = (name: string, tags: readonly string[] = []): DefinedTool<{ id: string }, string> =>
  tool({
    name,
    description: `Does ${name}. Not for anything else.`,
    input: z.object({ id: z.string() }),
    effect: 'pure',
    execute: async ({ id }) => `${name} ${id}`,
    tags,
  });
const read = named('files_read', ['files', 'reading']);
const write = named('files_write', ['files']);
const fetch = named('web_fetch', ['reading']);

describe('the registry', () => {
  it('holds tools with their origin, in the order they came [R3-TOOL-REGISTRY]', () => {
    const registry = toolRegistry([
      read,
      { tool: write, tags: ['files'], origin: { kind: 'folder', file: '/t/write.js' } },
    ]);
    registry.register(fetch, { origin: { kind: 'package', package: 'web', file: '/p/tools.js' }, tags: ['net'] });
    expect(registry.names()).toEqual(['files_read', 'files_write', 'web_fetch']);
    expect(registry.get('files_read')).toBe(read);
    expect([registry.has('web_fetch'), registry.has('web'), registry.get('web')]).toEqual([true, false, undefined]);
    expect(registry.entries().map(({ origin, tags }) => [origin.kind, ...tags])).toEqual([
      ['code', 'files', 'reading'],
      ['folder', 'files'],
      ['package', 'reading', 'net'],
    ]);
  });

  it('refuses a second tool of a name, and says where both are', () => {
    const registry = toolRegistry([read]);
    const again = { tool: named('files_read'), tags: [], origin: { kind: 'folder', file: '/t/read.js' } } as const;
    expect(() => registry.registerAll([again])).toThrow(
      'Two tools are called "files_read": one registered in code and one in /t/read.js.',
    );
    expect(() => toolset([read, named('files_read')])).toThrow('Two tools are called "files_read"');
  });

  it('makes a tool sound that was not made by `tool`, and refuses one that is not', () => {
    const plain: Tool<{ id: string }, string> = { ...read, name: 'plain', input: z.object({ id: z.string() }) };
    const { inputJsonSchema: _, ...bare } = plain;
    const registry = toolRegistry([bare as Tool<{ id: string }, string>]);
    expect(registry.get('plain')?.inputJsonSchema).toMatchObject({ properties: { id: { type: 'string' } } });
    expect(() => registry.register({ ...plain, name: 'not a name' })).toThrow('is not a valid tool name');
  });

  it('takes a tool without a schema at its word', async () => {
    const open: Tool<unknown, string> = { name: 'open', description: 'Any.', effect: 'pure', execute: async () => '' };
    const held = toolRegistry([open]).get('open');
    expect(await check(held?.input ?? read.input, { anything: 1 })).toMatchObject({ ok: true });
  });
});

describe('a toolset', () => {
  const registry = toolRegistry([read, write, fetch]);
  it.each([
    [{}, ['files_read', 'files_write', 'web_fetch']],
    [{ include: ['web_fetch', 'files_read'] }, ['files_read', 'web_fetch']],
    [{ exclude: ['files_write'] }, ['files_read', 'web_fetch']],
    [{ tags: ['files'] }, ['files_read', 'files_write']],
    [{ tags: ['reading', 'files'], exclude: ['files_read'] }, ['files_write', 'web_fetch']],
    [{ prefix: 'files_' }, ['files_read', 'files_write']],
    [{ prefix: ['web_', 'other_'], tags: ['files'] }, []],
  ])('of %j holds %j [R3-TOOL-TOOLSET]', (selection, names) => {
    expect(registry.toolset(selection).names).toEqual(names);
  });

  it('is refused for a name that is not registered, with the name that was meant', () => {
    expect(() => registry.toolset({ include: ['files_raed'] })).toThrow(
      'there is no tool "files_raed". Did you mean files_read?',
    );
    expect(() => registry.toolset({ exclude: ['shell'] })).toThrow(
      'Registered tools: files_read, files_write, web_fetch.',
    );
  });

  it('does not change when the registry grows, and cannot be changed', () => {
    const growing = toolRegistry([read]);
    const view = growing.toolset();
    growing.register(write);
    expect(view.names).toEqual(['files_read']);
    expect(view.has('files_write')).toBe(false);
    expect(() => (view.tools as unknown[]).push(write)).toThrow(TypeError);
  });

  it('narrows and never widens [R3-TOOL-TOOLSET]', () => {
    const view = registry.toolset({ tags: ['files'] });
    const narrow = view.narrow({ include: ['files_read', 'web_fetch', 'unheard_of'] });
    expect(narrow.names).toEqual(['files_read']);
    expect(narrow.narrow({ include: ['files_write'] }).names).toEqual([]);
    expect(['files_write', 'web_fetch', 'files_read', 'unheard_of'].map((name) => narrow.hides(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('has a hash of what a model is shown of it, whatever the order', () => {
    const hash = toolset([read, write]).hash;
    expect(toolset([write, read]).hash).toBe(hash);
    expect(toolset([read, tool({ ...write, timeoutMs: 5 })]).hash).toBe(hash); // no model sees a timeout
    const other = toolRegistry([read, write], { metadata: [{ name: 'files_write', description: 'Other. Not this.' }] });
    expect(other.toolset().hash).not.toBe(hash);
  });
});

describe('metadata about a tool', () => {
  const upper = tool({
    name: 'upper',
    description: 'In capitals. Not for code.',
    input: z.object({ text: z.string().transform((text) => text.toUpperCase()), times: z.number().default(1) }),
    effect: 'idempotent',
    execute: async ({ text, times }) => text.repeat(times),
    legs: ['private-data'],
    scopes: ['text'],
    retry: { retries: 2 },
    verify: async () => ({ happened: 'unknown' }),
  });
  const describedAs = (said: object) =>
    toolRegistry([upper], { metadata: [{ name: 'upper', ...said }] }).toolset().tools[0] as DefinedTool;

  it('comes before what the tool says about itself [R3-TOOL-DISCOVERY-YAML]', () => {
    const described = describedAs({
      description: 'Shouts. Not at night.',
      scopes: ['shout'],
      timeoutMs: 9,
      tags: ['loud'],
    });
    expect(described).toMatchObject({
      description: 'Shouts. Not at night.',
      scopes: ['shout'],
      timeoutMs: 9,
      tags: ['loud'],
    });
    expect(described.inputJsonSchema).toEqual(upper.inputJsonSchema);
    expect(upper).toMatchObject({ description: 'In capitals. Not for code.', scopes: ['text'] });
  });

  it('replaces the schema that models see, and both schemas check [R3-TOOL-DISCOVERY-YAML]', async () => {
    const shown = {
      type: 'object',
      properties: { text: { type: 'string', maxLength: 3 } },
      additionalProperties: false,
    };
    const described = describedAs({ input: shown });
    expect(toolSpecOf(described).input).toEqual(shown);
    expect(await check(described.input, { text: 'abcd' })).toMatchObject({ ok: false });
    expect(await check(described.input, { text: 'ab', times: 2 })).toMatchObject({ ok: false });
    expect(await check(described.input, {})).toMatchObject({ ok: false }); // the tool's own schema still asks for text
    expect(await check(described.input, { text: 'ab' })).toEqual({ ok: true, value: { text: 'AB', times: 1 } });
  });

  it('adds legs and takes none away', () => {
    expect(describedAs({ legs: ['outbound'] }).legs).toEqual(['private-data', 'outbound']);
  });

  it('can make an effect irreversible, which is then not retried, and nothing harmless', () => {
    const careful = describedAs({ effect: 'irreversible' });
    expect(careful.effect).toEqual({ class: 'irreversible', verify: expect.any(Function) });
    expect(careful.retry).toEqual({ retries: 0 });
    expect(() => describedAs({ effect: 'pure', source: 'tools.yaml:3' })).toThrow(
      'Tool "upper": tools.yaml:3 calls it pure, but its code says idempotent.',
    );
    expect(describedAs({ effect: 'idempotent' }).effect).toBe(upper.effect);
  });

  it('about a tool that is not there is a mistake', () => {
    expect(() => toolRegistry([upper], { metadata: [{ name: 'uper', source: 'tools.yaml:3' }] })).toThrow(
      'tools.yaml:3: there is no tool "uper". Did you mean upper?',
    );
  });
});
