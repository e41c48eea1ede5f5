import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Seams } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { moduleGraph } from '../../packages/flyball/src/adapters/definitions/module-graph.js';
import { loadYamlAgent } from '../../packages/flyball/src/cli/yaml-agent.js';
import { proposed, toolOf } from '../governance/context.js';

const ENV = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1', FLYBALL_MODEL: 'openai-compatible/test' };
const AGENT =
  'name: helper\ndescription: You help.\nprice: { input: 1, output: 2 }\naccess: { write: [.] }\nautonomy: autonomous\n';
const TOOL = (imports: string): string =>
  `${imports}\nexport default { name: 'hours', description: 'When.', input: { type: 'object' }, effect: 'pure', execute: async () => 'x' };\n`;

/** Says whether the agent in a folder with these files may write a path. */
async function writing(files: Readonly<Record<string, string>>, more = '') {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-own-code-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries({ ...files, 'agent.yaml': `${AGENT}${more}` })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { runtime } = await loadYamlAgent(join(folder, 'agent.yaml'), ENV);
  const { seams } = runtime as { readonly seams: Seams };
  return async (path: string): Promise<boolean> => {
    const tool = toolOf({ name: 'writes', effect: 'idempotent', touches: () => ({ writes: [{ path }] }) });
    const verdict = await proposed(seams, tool);
    if (!verdict.allow) expect(verdict.why).toMatch(/may be read and not written|denied by the rule/);
    return verdict.allow;
  };
}

describe('an agent that may write its own folder', () => {
  it('cannot write a module that a tool loads, however many modules lie between [F-W2]', async () => {
    const files = {
      'tools/hours.mjs': TOOL("import { hi } from '../lib/util.mjs';"),
      'lib/util.mjs': "import './deep/more.mjs';\nexport { a } from './deep/again.mjs';\nexport const hi = 1;\n",
      'lib/deep/more.mjs':
        "import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('./old.cjs');\n",
      'lib/deep/again.mjs': 'export const a = 1;\n',
      'lib/deep/old.cjs': "module.exports = require('./settings');\n",
      'lib/deep/settings.json': '{}',
      'lib/free.mjs': 'export {};\n',
    };
    const may = await writing(files);
    for (const path of [
      'lib/util.mjs',
      'lib/deep/more.mjs',
      'lib/deep/again.mjs',
      'lib/deep/old.cjs',
      'lib/deep/settings.json',
      'lib/deep/settings.js', // not there: it would be loaded before the JSON
      'lib/package.json', // neither: it says how the modules beside it are read
      'lib/deep/node_modules/yaml/index.js',
      'tsconfig.json',
    ])
      expect([path, await may(path)]).toEqual([path, false]);
    const mayToo = await writing(files); // ten calls a second are all that an agent has
    for (const path of ['lib/free.mjs', 'notes.txt', 'data/new.mjs'])
      expect([path, await mayToo(path)]).toEqual([path, true]);
  });

  it('cannot write what tools.yaml and mcp.json lead to, nor what those load [F-W2]', async () => {
    const may = await writing({
      'tools.yaml':
        'tools:\n  - { name: a, description: A., input: { type: object }, effect: pure, run: ./src/a.mjs#a }\n',
      'src/a.mjs': "export { a } from './b.mjs';\n",
      'src/b.mjs': "export const a = async () => new URL('./worker.mjs', import.meta.url).href;\n",
      'src/worker.mjs': 'export {};\n',
      'src/notes.txt': '',
    });
    for (const path of ['src/a.mjs', 'src/b.mjs', 'src/worker.mjs', 'tools.yaml', 'agent.yaml'])
      expect([path, await may(path)]).toEqual([path, false]);
    expect(await may('src/notes.txt')).toBe(true);
  });

  it('cannot write any code where a module loads what its text does not name [F-W2]', async () => {
    const may = await writing({
      'tools/hours.mjs': TOOL('const load = (name) => import(name);\nexport const unused = load;'),
    });
    for (const path of ['anything.mjs', 'deep/er.ts', 'x.json']) expect([path, await may(path)]).toEqual([path, false]);
    expect(await may('notes.md')).toBe(true);
  });

  it('cannot write any code where a module is too long, or modules are too many, to be read [F-W2]', async () => {
    const long = `${TOOL("import { hi } from '../lib/util.mjs';")}// ${'x'.repeat(2_000_001)}`;
    const mayBesideOne = await writing({ 'tools/hours.mjs': long, 'lib/util.mjs': 'export const hi = 1;\n' });
    expect(await mayBesideOne('lib/util.mjs')).toBe(false);
    const many = Array.from({ length: 2_100 }, (_, at) => join(tmpdir(), `m${at}.json`));
    expect((await moduleGraph(many, tmpdir())).open).toHaveLength(1);
  });

  it('cannot write the folder that a name is put together from [F-W2]', async () => {
    const may = await writing({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a module
      'tools/hours.mjs': TOOL('export const open = (name) => new URL(`../plugins/${name}.mjs`, import.meta.url);'),
      'plugins/one.mjs': 'export {};\n',
    });
    expect(await may('plugins/one.mjs')).toBe(false);
    expect(await may('plugins/two.mjs')).toBe(false);
    expect(await may('notes.md')).toBe(true);
  });
});
