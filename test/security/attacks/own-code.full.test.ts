import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createToolbox, type Seams } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownCode } from '../../../packages/flyball/src/cli/own-code.js';
import { loadYamlAgent } from '../../../packages/flyball/src/cli/yaml-agent.js';
import { proposed, toolOf } from '../../governance/context.js';

/** Ways of an agent that may write its folder to change what its own code loads. */
const ENV = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1', FLYBALL_MODEL: 'openai-compatible/test' };
const AGENT =
  'name: helper\ndescription: You help.\nprice: { input: 1, output: 2 }\naccess: { write: [.] }\nautonomy: autonomous\nmcp: servers.json\n';
const FILES: Readonly<Record<string, string>> = {
  'agent.yaml': AGENT,
  'tools/hours.mjs':
    "import '../lib/util.mjs';\nexport default { name: 'hours', description: 'When.', input: { type: 'object' }, effect: 'pure', execute: async () => 'x' };\n",
  'lib/util.mjs':
    "import './deep/more.mjs';\nimport data from './data.json' with { type: 'json' };\nexport { data };\n",
  'lib/deep/more.mjs': "import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('./old');\n",
  'lib/deep/old.js': 'module.exports = 1;\n',
  'lib/deep/package.json': '{ "type": "commonjs" }',
  'lib/data.json': '{}',
  'package.json': '{ "type": "module" }',
  'servers.json': '{ "mcpServers": {} }',
};

/** The folder of the agent, with links to its code. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-attack-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync('lib', join(folder, 'alias'));
  symlinkSync('util.mjs', join(folder, 'lib/other.mjs'));
  return folder;
}

async function writer(): Promise<(path: string) => Promise<boolean>> {
  const folder = project();
  const { runtime } = await loadYamlAgent(join(folder, 'agent.yaml'), ENV);
  const { seams } = runtime as { readonly seams: Seams };
  return async (path) => {
    const written = path.replace('<folder>', folder);
    const tool = toolOf({ name: 'writes', effect: 'idempotent', touches: () => ({ writes: [{ path: written }] }) });
    return (await proposed(seams, tool)).allow;
  };
}

describe('an agent that may write its folder cannot write', () => {
  it.each([
    ['a module by its name', 'lib/util.mjs'],
    ['a module by a detour', 'lib/deep/../util.mjs'],
    ['a module by a detour through a folder that is not there', 'lib/none/../util.mjs'],
    ['a module by its whole path', '<folder>/lib/util.mjs'],
    ['a module with two slashes', 'lib//util.mjs'],
    ['a module with a dot', './lib/./util.mjs'],
    ['data that a module imports', 'lib/data.json'],
    ['what require finds', 'lib/deep/old.js'],
    ['what require would find first', 'lib/deep/old'],
    ['the settings beside a module', 'lib/deep/package.json'],
    ['settings beside a module that are not there yet', 'lib/package.json'],
    ['packages below a module that are not there yet', 'lib/deep/node_modules/x/index.js'],
    ['packages of the project', 'node_modules/yaml/index.js'],
    ['a further tool', 'tools/evil.mjs'],
    ['a file of tools that is not there yet', 'tools.yaml'],
    ['the file of servers that it names', 'servers.json'],
    ['its own definition', 'agent.yaml'],
    ['its settings', 'package.json'],
    ['settings of the compiler', 'tsconfig.json'],
    ['hooks of git', '.git/hooks/post-checkout'],
  ])('%s [R8-SECURITY-ATTACKS]', async (_, path) => {
    const may = await writer();
    expect(await may(path)).toBe(false);
    expect(await may('notes/free.txt')).toBe(true);
  });
});

describe('the file tools of an agent do not write a module through', () => {
  it.each([
    ['a link to its folder', 'write_file', { path: 'alias/util.mjs', content: 'evil' }],
    ['a link to it', 'write_file', { path: 'lib/other.mjs', content: 'evil' }],
    [
      'an edit',
      'edit_file',
      { path: 'alias/util.mjs', edits: [{ old: 'data', new: 'evil' }], old: 'data', new: 'evil' },
    ],
    ['a move onto it', 'move_file', { from: 'notes.mjs', to: 'lib/util.mjs' }],
    ['a move of its folder', 'move_file', { from: 'lib', to: 'old' }],
    ['a deletion', 'delete_file', { path: 'lib/deep/more.mjs' }],
  ])('%s [R8-SECURITY-ATTACKS]', async (_, name, args) => {
    const folder = project();
    writeFileSync(join(folder, 'notes.mjs'), 'evil');
    const own = await ownCode(folder, {});
    const toolbox = await createToolbox({ root: folder, access: { write: ['.'] }, ...own });
    onTestFinished(() => toolbox.close());
    const tool = toolbox.tools.find((each) => each.name === name);
    const how = { key: 'k', signal: new AbortController().signal };
    await expect((async () => tool?.execute(args as never, how))()).rejects.toThrow();
    for (const file of ['lib/util.mjs', 'lib/deep/more.mjs'])
      expect(readFileSync(join(folder, file), 'utf8')).toBe(FILES[file]);
  });
});
