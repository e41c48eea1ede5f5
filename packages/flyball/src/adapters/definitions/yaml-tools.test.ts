import { join } from 'node:path';
import { toolRegistry } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { definition, project } from '../../../../../test/definitions/project.js';
import { check } from '../../core/schema.js';
import { toolsFromFolder, toolsFromYaml } from './index.js';

const MODULE = `
export async function greet({ name }) { return 'Hello ' + name; }
export const undo = async () => {};
export const VERSION = 3;
export const shout = ${definition('shout', "legs: ['outbound']")};
export default async () => 'default';
`;

const GREET = `
tools:
  - name: greet
    description: Greets somebody. Not for goodbyes.
    input:
      type: object
      properties:
        name: { type: string, description: Whom. }
      required: [name]
      additionalProperties: false
    effect: idempotent
    scopes: ["talk:greet"]
    legs: [outbound]
    timeoutMs: 500
    retry: { retries: 2, baseDelayMs: 10 }
    tags: [talk]
    run: ./code.mjs#greet
`;

const inYaml = (yaml: string) => {
  const root = project({ 'tools.yaml': yaml, 'code.mjs': MODULE });
  return { root, read: toolsFromYaml(join(root, 'tools.yaml')) };
};

describe('a YAML file of tools', () => {
  it('describes a function of a module as a tool [R3-TOOL-DISCOVERY-YAML]', async () => {
    const { root, read } = inYaml(GREET);
    const { entries, metadata } = await read;
    expect(metadata).toEqual([]);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      origin: { kind: 'yaml', file: join(root, 'tools.yaml') },
      tags: ['talk'],
      tool: {
        name: 'greet',
        effect: 'idempotent',
        scopes: ['talk:greet'],
        legs: ['outbound'],
        timeoutMs: 500,
        retry: { retries: 2, baseDelayMs: 10 },
        inputJsonSchema: { properties: { name: { type: 'string' } }, required: ['name'] },
      },
    });
    const greet = entries[0]?.tool;
    expect(await greet?.execute({ name: 'Ada' } as never, {} as never)).toBe('Hello Ada');
    expect(greet && (await check(greet.input, { nme: 'Ada' }))).toMatchObject({ ok: false });
  });

  it('describes a tool of a module under a name of its own', async () => {
    const { read } = inYaml(`
tools:
  - name: yell
    description: Yells. Not at night.
    legs: [private-data]
    run: { module: ./code.mjs#shout }
`);
    const [entry] = (await read).entries;
    expect(entry?.tool).toMatchObject({
      name: 'yell',
      description: 'Yells. Not at night.',
      legs: ['outbound', 'private-data'],
    });
    expect(await entry?.tool.execute({ text: 'x' } as never, {} as never)).toBe('shout x');
  });

  it('names the compensation of what can be undone, and the default export where none is named', async () => {
    const { read } = inYaml(`
tools:
  - name: book
    description: Books. Not for groups.
    effect: undoable
    run: { module: ./code.mjs, compensate: "./code.mjs#undo" }
`);
    const [entry] = (await read).entries;
    expect(entry?.tool.effect).toMatchObject({ class: 'undoable', compensate: expect.any(Function) });
    expect(await entry?.tool.execute({} as never, {} as never)).toBe('default');
  });

  it('without `run` says something else about a tool found elsewhere, and comes first [R3-TOOL-DISCOVERY-YAML]', async () => {
    const root = project({
      'tools/shout.mjs': `export default ${definition('shout', "scopes: ['own'], timeoutMs: 1")};`,
      'more.yaml':
        'tools:\n  - name: shout\n    description: Shouts. Not for whispering.\n    scopes: [said]\n    effect: irreversible\n',
    });
    const { entries, metadata } = await toolsFromYaml(join(root, 'more.yaml'));
    expect(entries).toEqual([]);
    const registry = toolRegistry(await toolsFromFolder(join(root, 'tools')), { metadata });
    expect(registry.get('shout')).toMatchObject({
      description: 'Shouts. Not for whispering.',
      scopes: ['said'],
      timeoutMs: 1,
      effect: { class: 'irreversible' },
    });
    expect(() => toolRegistry([], { metadata })).toThrow(`${join(root, 'more.yaml')}:2: there is no tool "shout"`);
  });

  it('may be one of several in a folder', async () => {
    const root = project({
      'b.yml': 'tools:\n  - name: b\n    timeoutMs: 5\n',
      'a.yaml': 'tools:\n  - name: a\n    timeoutMs: 5\n',
      '_c.yaml': 'nonsense',
      'd.txt': 'nonsense',
    });
    expect((await toolsFromYaml(root)).metadata.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('a YAML file is refused with file, line and what to do', () => {
  const greeting = (from: string, to: string) => GREET.replace(from, to);
  it.each<[string, string, number, string]>([
    ['that is no YAML', 'tools:\n  - name: [a', 2, 'Flow sequence'],
    ['with a key twice', 'tools:\n  - name: a\n    name: b\n', 3, 'unique'],
    ['with a tag that would be passed over', 'tools:\n  - name: !secret a\n', 2, 'tag'],
    ['that is a list', '- name: a\n', 1, 'expected a mapping with tools'],
    ['whose tools are no list', 'tools: { name: a }\n', 1, 'tools must be a list'],
    ['with an entry that is no mapping', 'tools:\n  - greet\n', 2, 'expected a mapping with name, description'],
    ['with a misspelt key', greeting('effect:', 'efect:'), 11, 'unknown key "efect". Did you mean effect?'],
    [
      'with a misspelt key of the retry',
      greeting('baseDelayMs', 'delay'),
      15,
      'unknown key "delay". Known fields: retries',
    ],
    ['without a name', 'tools:\n  - timeoutMs: 5\n', 2, 'Nothing is not a valid tool name'],
    ['with a bad name', greeting('name: greet', 'name: greet you'), 3, '"greet you" is not a valid tool name'],
    ['with an unknown effect', greeting('idempotent', 'harmless'), 11, 'effect is "harmless"'],
    ['with an unknown leg', greeting('[outbound]', '[outward]'), 13, 'there is no leg "outward"'],
    ['with a time in words', greeting('500', 'soon'), 14, 'timeoutMs is soon'],
    ['with a scope that is no list', greeting('["talk:greet"]', '"talk:greet"'), 12, 'scopes must be a list of words'],
    ['with a bad schema', greeting('type: object', 'type: array'), 6, 'providers take only objects'],
    ['with a module that is no path', greeting('./code.mjs#greet', 'code#greet'), 17, 'Write ./file.js#export'],
    ['with an absolute module', greeting('./code.mjs#greet', '/code.mjs#greet'), 17, 'is not a reference to a module'],
    ['with a module that does not exist', greeting('./code.mjs', './cod.mjs'), 17, 'cod.mjs could not be loaded'],
    [
      'with an export that does not exist',
      greeting('#greet', '#great'),
      17,
      'has no export "great". It exports VERSION, default, greet',
    ],
    ['with an export that is no function', greeting('#greet', '#VERSION'), 17, 'execute is not a function'],
    [
      'undoable without a compensation',
      greeting('idempotent', 'undoable').replace('retries: 2, ', ''),
      17,
      'nothing says how',
    ],
    [
      'without a description',
      greeting('    description: Greets somebody. Not for goodbyes.\n', ''),
      16,
      'the description is empty',
    ],
    ['without an effect', greeting('    effect: idempotent\n', ''), 16, 'effect is missing'],
    [
      'with a compensation beside a whole tool',
      'tools:\n  - name: yell\n    run:\n      module: ./code.mjs#shout\n      compensate: ./code.mjs#undo\n',
      4,
      'so it brings its own compensate',
    ],
    [
      'with a harmless word about a dangerous tool',
      'tools:\n  - name: shout\n    effect: idempotent\n    run: ./code.mjs#shout\n',
      4,
      'its code says pure',
    ],
  ])('%s', async (_, yaml, line, sentence) => {
    const { root, read } = inYaml(yaml);
    const error = (await read.catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(error.message).toContain(sentence);
    expect(error.message).toContain(`${join(root, 'tools.yaml')}:${line}:`);
  });

  it('that does not exist', async () => {
    await expect(toolsFromYaml('/nowhere/tools.yaml')).rejects.toThrow('/nowhere/tools.yaml cannot be read');
  });

  it('whose aliases blow it up', async () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [name, last] of ['ba', 'cb', 'dc'].map((pair) => [...pair])) {
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${last}`).join(', ')}]`);
    }
    const { read } = inYaml(`${bomb.join('\n')}\ntools: []\n`);
    await expect(read).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('alias') });
  });
});
