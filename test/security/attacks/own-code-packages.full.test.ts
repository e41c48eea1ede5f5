import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createToolbox } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bareSpecifiers } from '../../../packages/flyball/src/adapters/definitions/packages-in-place.js';
import { ownCode } from '../../../packages/flyball/src/cli/own-code.js';
import { processorMs } from '../../patience.js';

/** Code that an agent's tools load by other names than a path, and what else runs next time in the folder of an agent. */
const FILES: Readonly<Record<string, string>> = {
  'agent.yaml': 'name: helper\ndescription: You help.\nmcp: mcp.json\n',
  'other.yaml': 'name: other\ndescription: Reads only.\nautonomy: read-only\n',
  'hooks.yml': 'triggers: []\n',
  'compose.yaml': 'services: {}\n',
  'package.json':
    '{ "name": "proj", "type": "module", "exports": { ".": { "import": "./main.mjs", "default": "./main.cjs" }, "./lib/*": "./lib/*" } }',
  'tools/greet.mjs':
    "import 'proj/lib/self.mjs';\nimport 'proj';\nimport { ws } from '@acme/ws/deep';\nimport '../lib/near.mjs';\n",
  'main.mjs': '',
  'main.cjs': '',
  'lib/self.mjs': "import './deeper.mjs';\n",
  'lib/deeper.mjs': '',
  'lib/near.mjs': '',
  'lib/free.txt': '',
  'packages/ws/package.json': '{ "name": "@acme/ws", "exports": { "./deep": { "import": "./deep.mjs" } } }',
  'packages/ws/deep.mjs': '',
  'mcp.json': '{ "mcpServers": { "one": { "command": "ruby", "args": ["srv/server.rb"] } } }',
  'srv/server.rb': '',
};

async function project(
  more: Readonly<Record<string, string>> = {},
  links: Readonly<Record<string, string>> = {},
  unreadable: readonly string[] = [],
): Promise<(path: string) => Promise<boolean>> {
  const root = mkdtempSync(join(tmpdir(), 'flyball-attack-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries({ ...FILES, ...more })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  for (const name of unreadable) chmodSync(join(root, name), 0o000);
  mkdirSync(join(root, 'node_modules/@acme'), { recursive: true });
  symlinkSync('../../packages/ws', join(root, 'node_modules/@acme/ws'));
  const own = await ownCode(root, { mcp: 'mcp.json' });
  const toolbox = await createToolbox({ root, access: { write: ['.'] }, ...own });
  onTestFinished(() => toolbox.close());
  const write = toolbox.tools.find(({ name }) => name === 'write_file');
  return async (path) => {
    const given = { path, content: 'evil' } as never;
    const written = (async () => write?.execute(given, { key: 'k', signal: new AbortController().signal }))();
    return written.then(
      () => true,
      () => false,
    );
  };
}

describe('an agent that may write its folder', () => {
  it.each([
    ['a module that is imported by the name of its package', 'lib/self.mjs', 'A5'],
    ['what that module imports', 'lib/deeper.mjs', 'A5'],
    ['what the package is by its name alone', 'main.mjs', 'A5'],
    ['what it is under another condition', 'main.cjs', 'A5'],
    ['a package of the workspace', 'packages/ws/deep.mjs', 'A5'],
    ['a new file in a package of the workspace', 'packages/ws/index.js', 'A5'],
    ['what a script that mcp.json starts loads from beside it', 'srv/helper.rb', 'A5'],
    ['agents that a server would take up', 'agents.mjs', 'A4'],
    ['agents in TypeScript', 'agents.ts', 'A4'],
    ['another agent', 'other.yaml', 'A6'],
    ['triggers', 'hooks.yml', 'A6'],
    ['triggers that are not there yet', 'triggers.yaml', 'A6'],
    ['settings of a server', 'flyball.yaml', 'A6'],
    ['where npx fetches a server from', '.npmrc', 'A5'],
    ['where uvx fetches one from', 'uv.toml', 'A5'],
  ])('cannot write %s [R8-TRIAL3-A4] [R8-TRIAL3-A5] [R8-TRIAL3-A6]', async (_, path) => {
    expect(await (await project())(path)).toBe(false);
  });

  it('can write everything else beside modules that its tools import by their path [R8-TRIAL3-A15] [R8-TRIAL3-A4] [R8-TRIAL3-A5] [R8-TRIAL3-A6]', async () => {
    const writes = await project();
    for (const path of ['lib/free.txt', 'lib/new.mjs', 'notes.md', 'compose.yaml', 'srv2/a.rb', 'src/deep/er/x.ts'])
      expect(await writes(path), path).toBe(true);
  });

  it.each([
    ['a require of another name', "const load = createRequire(import.meta.url);\nload(join(here, 'x.cjs'));"],
    ['a require that is called at once', "createRequire(import.meta.url)(join(here, 'x.cjs'));"],
    ['a worker', "new Worker(join(here, 'w.mjs'));"],
    ['a process', "fork(join(here, 'w.mjs'));"],
  ])('can write no code where a module loads a computed name by %s', async (_, text) => {
    const writes = await project({ 'tools/more.mjs': text });
    expect([await writes('lib/new.mjs'), await writes('notes.md')]).toEqual([false, true]);
  });

  it('cannot write a script that its tools start, by its path or put together, nor what lies beside it [R8-REST-STARTED]', async () => {
    const writes = await project({
      'tools/run.mjs':
        "spawn('node', ['lib/child.mjs']);\nexecFile('python3', [\"scripts/run.py\"]);\nspawnSync(join(here, '..', 'bin', 'go.sh'));\n",
      'lib/child.mjs': "import './grandchild.mjs';\n",
      'lib/grandchild.mjs': '',
      'scripts/run.py': 'import helper\n',
      'bin/go.sh': '',
      'bin/free.sh': '',
    });
    for (const path of ['lib/child.mjs', 'lib/grandchild.mjs', 'scripts/run.py', 'scripts/helper.py', 'bin/go.sh'])
      expect(await writes(path), path).toBe(false);
    for (const path of ['bin/free.sh', 'lib/other.mjs', 'notes.md']) expect(await writes(path), path).toBe(true);
  });

  it('can write no Python where a Python server is started', async () => {
    const writes = await project({
      'mcp.json': '{ "mcpServers": { "py": { "command": "python3", "args": ["-m", "desk"] } } }',
    });
    expect([await writes('desk/helper.py'), await writes('notes.md')]).toEqual([false, true]);
  });

  it('cannot write a definition that is too long to be looked through, and still runs beside it [R8-TRIAL3-A6]', async () => {
    const writes = await project({ 'long.yaml': `# ${'x'.repeat(1_000_001)}\nname: a\ndescription: b\n` });
    expect([await writes('long.yaml'), await writes('notes.md')]).toEqual([false, true]);
  });

  it('cannot write a definition that cannot be read, nor what a link with such a name leads to [R8-REST-UNREADABLE]', async () => {
    const writes = await project(
      { 'defs/real.yaml': FILES['other.yaml'] ?? '', 'defs/plain.yaml': 'services: {}\n', 'defs/a/b.txt': '' },
      {
        'linked.yaml': 'defs/real.yaml',
        'plain.yaml': 'defs/plain.yaml',
        'folder.yaml': 'defs/a',
        'later.yml': 'defs/later.yaml', // nothing there yet: whoever writes it writes the definition
        'deep.yaml': 'defs/new/deep.yaml',
        'twice.yaml': 'later.yml',
        'broken.yaml': '/proc/self/mem', // reading it fails, also as root
        'circle.yaml': 'circle.yaml',
      },
    );
    for (const path of ['broken.yaml', 'circle.yaml', 'later.yml', 'linked.yaml', 'twice.yaml'])
      expect(await writes(path), path).toBe(false);
    for (const path of ['defs/real.yaml', 'defs/later.yaml', 'defs/new/deep.yaml'])
      expect(await writes(path), path).toBe(false);
    for (const path of ['defs/plain.yaml', 'defs/a/b.txt', 'defs/free.yaml', 'defs/new/free.txt', 'notes.md'])
      expect(await writes(path), path).toBe(true);
  });

  it.skipIf(process.getuid?.() === 0)(
    'cannot write a definition that it may not read (root may read every file) [R8-REST-UNREADABLE]',
    async () => {
      const writes = await project({ 'locked.yaml': 'a: 1\n' }, {}, ['locked.yaml']);
      expect([await writes('locked.yaml'), await writes('notes.md')]).toEqual([false, true]);
    },
  );

  it.each(['{"name": "b", "description": "Reads only."}', '  "name": b\n  "access": {}\n', '---\n{ triggers: [] }\n'])(
    'cannot write a definition in another style: %s [R8-REST-UNREADABLE]',
    async (text) => {
      expect(await (await project({ 'b.yaml': text }))('b.yaml')).toBe(false);
    },
  );

  it('has its modules read in time linear in their length [R8-TRIAL3-A5]', () => {
    const before = processorMs();
    for (const text of [`import(${' '.repeat(200_000)}`, `from${' '.repeat(200_000)}x`, '('.repeat(200_000)])
      expect([...bareSpecifiers(text)]).toEqual([]);
    expect(processorMs() - before).toBeLessThan(2_000); // some milliseconds; many minutes where it is quadratic
  });
});
