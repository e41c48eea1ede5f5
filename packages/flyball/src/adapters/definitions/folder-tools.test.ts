import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { toolRegistry } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { definition, project } from '../../../../../test/definitions/project.js';
import { toolsFromFolder } from './index.js';

const namesIn = async (folder: string) => (await toolsFromFolder(folder)).map(({ tool }) => tool.name);

describe('tools in a folder', () => {
  it('are found by name, as default, in lists and in records, in the order of the files [R3-TOOL-DISCOVERY-FOLDER]', async () => {
    const root = project({
      'c-named.mjs': `export const late = ${definition('late')}; export const early = ${definition('early')};
        export const VERSION = 3; export const names = ['a', 'b']; export function inner() {}`,
      'a-default.js': `export default ${definition('first')};`,
      'b-list.mjs': `export const tools = [${definition('second')}, ${definition('third')}];`,
      'd-record.mjs': `export default { one: ${definition('one')}, limit: 5 };`,
    });
    expect(await namesIn(root)).toEqual(['first', 'second', 'third', 'early', 'late', 'one']);
  });

  it('come out sound, with the file they are from and their tags', async () => {
    const root = project({ 'say.mjs': `export const say = ${definition('say', "tags: ['talk']")};` });
    const [entry] = await toolsFromFolder(root);
    expect(entry).toMatchObject({ origin: { kind: 'folder', file: join(root, 'say.mjs') }, tags: ['talk'] });
    const result = await entry?.tool.execute({ text: 'hello' } as never, {} as never);
    expect(result).toBe('say hello');
    expect(entry?.tool.inputJsonSchema).toEqual({ type: 'object', properties: { text: { type: 'string' } } });
    expect(toolRegistry(await toolsFromFolder(root)).toolset({ tags: ['talk'] }).names).toEqual(['say']);
  });

  it('may be made with `tool`, and are then taken as they are', async () => {
    const root = project({
      'made.mjs': `import { tool } from 'flyball/tools'; export const made = tool(${definition('made')});`,
    });
    expect(await namesIn(root)).toEqual(['made']);
  });

  it('that a module exports twice are one', async () => {
    const root = project({ 'twice.mjs': `export const twice = ${definition('twice')}; export default twice;` });
    expect(await namesIn(root)).toEqual(['twice']);
  });

  it('are not looked for in declarations, tests, other files, folders, and what begins with _ or .', async () => {
    const root = project({
      'real.mjs': `export default ${definition('real')};`,
      'real.d.ts': 'export {};',
      'real.test.mjs': "throw new Error('a test');",
      'real.spec.js': "throw new Error('a test');",
      '_shared.mjs': "throw new Error('not a tool');",
      '.hidden.mjs': "throw new Error('not a tool');",
      'notes.md': '# Notes',
      'folder.mjs/inner.mjs': "throw new Error('too deep');",
    });
    expect(await namesIn(root)).toEqual(['real']);
  });

  it('are taken from the output where it stands beside its source', async () => {
    const root = project({
      'built.js': `export default ${definition('built')};`,
      'built.ts': `export default ${definition('built')};`,
    });
    expect((await toolsFromFolder(root)).map(({ origin }) => origin)).toEqual([
      { kind: 'folder', file: join(root, 'built.js') },
    ]);
  });

  it('are none in an empty folder', async () => {
    expect(await namesIn(project({ 'README.md': '' }))).toEqual([]);
  });
});

describe('a folder of tools is refused with the name of the file', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'where a module throws',
      { 'bad.mjs': "throw new Error('no database');" },
      'bad.mjs could not be loaded: no database',
    ],
    ['where a module is no JavaScript', { 'bad.mjs': 'export const = 1;' }, 'bad.mjs could not be loaded: '],
    ['where a module is missing something', { 'bad.mjs': "import './none.mjs';" }, 'bad.mjs could not be loaded: '],
    ['where a module exports none', { 'bad.mjs': 'export const x = 1;' }, 'bad.mjs does not export a tool.'],
    [
      'where a tool is unsound',
      { 'bad.mjs': `export default ${definition('bad name')};` },
      '"bad name" is not a valid tool name',
    ],
    [
      'where something is half a tool',
      { 'bad.mjs': "export default { name: 'x', effect: 'pure' };" },
      'bad.mjs: Tool "x"',
    ],
    [
      'where a list holds something else',
      { 'bad.mjs': `export const tools = [${definition('fine')}, 7];` },
      'bad.mjs: element 1 of the exported list "tools" is not a tool',
    ],
  ])('%s', async (_, files, sentence) => {
    const root = project(files);
    await expect(toolsFromFolder(root)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(toolsFromFolder(root)).rejects.toThrow(sentence);
    await expect(toolsFromFolder(root)).rejects.toThrow(join(root, 'bad.mjs'));
  });

  it('where two files bring the same name, both named', async () => {
    const root = project({
      'a.mjs': `export default ${definition('same')};`,
      'b.mjs': `export default ${definition('same')};`,
    });
    const found = await toolsFromFolder(root);
    expect(() => toolRegistry(found)).toThrow(`one in ${join(root, 'a.mjs')} and one in ${join(root, 'b.mjs')}`);
  });

  it('where it does not exist, or a file in it leads nowhere', async () => {
    const root = project({ 'a.mjs': `export default ${definition('a')};` });
    await expect(toolsFromFolder(join(root, 'none'))).rejects.toThrow(
      `The folder of tools ${join(root, 'none')} cannot be read`,
    );
    await expect(toolsFromFolder(join(root, 'a.mjs'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    symlinkSync(join(root, 'gone.mjs'), join(root, 'b.mjs'));
    await expect(toolsFromFolder(root)).rejects.toThrow(join(root, 'b.mjs'));
  });
});
