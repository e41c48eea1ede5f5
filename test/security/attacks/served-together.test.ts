import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createToolbox } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBeside } from '../../../packages/flyball/src/cli/code-beside.js';
import { ownCode } from '../../../packages/flyball/src/cli/own-code.js';

/** One agent that may write everything in its folder, and others that one server runs from folders below and beside it. */
const FILES: Readonly<Record<string, string>> = {
  'agent.yaml': 'name: writer\ndescription: Writes.\n',
  'team/b.yaml':
    'name: b\ndescription: Reads only.\nautonomy: read-only\nmcp: mcp.json\npolicy: policy.yaml\nskills: [skills]\n',
  'team/policy.yaml': 'rules: []\n',
  'team/skills/one/SKILL.md': '',
  'team/mcp.json': '{ "mcpServers": { "one": { "command": "ruby", "args": ["srv/server.rb"] } } }',
  'team/srv/server.rb': '',
  'team/tools/pay.mjs': "import '../lib/near.mjs';\n",
  'team/lib/near.mjs': '',
  'team/notes.md': '',
  'more/agents.mjs': "import './helper.mjs';\n",
  'more/helper.mjs': '',
  'state/runs.db': '',
  'conf/server.yaml': 'port: 1\n',
};

const cleanUp: (() => unknown)[] = [];
let writes: (path: string) => Promise<boolean>;
beforeAll(async () => {
  writes = await project();
});
afterAll(async () => {
  for (const each of cleanUp.reverse()) await each();
});

async function project(): Promise<(path: string) => Promise<boolean>> {
  const root = mkdtempSync(join(tmpdir(), 'flyball-together-'));
  cleanUp.push(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  symlinkSync('.', join(root, 'here'));
  symlinkSync('team', join(root, 'crew'));
  const served = ['agent.yaml', 'team/b.yaml', 'more/agents.mjs', 'state/runs.db', 'conf/server.yaml'];
  const [own, others] = [
    await ownCode(root, {}),
    await codeBeside(
      root,
      served.map((name) => join(root, name)),
    ),
  ];
  const protect = [...own.protect, ...others.protect];
  const denyWrite = [...own.denyWrite, ...others.denyWrite];
  const toolbox = await createToolbox({ root, access: { write: ['.'] }, protect, denyWrite });
  cleanUp.push(() => toolbox.close());
  const write = toolbox.tools.find(({ name }) => name === 'write_file');
  return (path) =>
    (async () =>
      write?.execute({ path, content: 'evil' } as never, { key: path, signal: new AbortController().signal }))().then(
      () => true,
      () => false,
    );
}

describe('an agent that is served together with others', () => {
  it.each([
    'team/b.yaml',
    'team/policy.yaml',
    'team/skills/one/SKILL.md',
    'team/skills/two/SKILL.md',
    'team/mcp.json',
    'team/srv/server.rb',
    'team/srv/helper.rb',
    'team/tools/pay.mjs',
    'team/tools/new.mjs',
    'team/lib/near.mjs',
    'team/package.json',
    'team/agents.mjs',
    'more/agents.mjs',
    'more/helper.mjs',
    'state/runs.db',
    'conf/server.yaml',
    'crew/b.yaml',
    'crew/tools/pay.mjs',
  ])('cannot write what one of them is made of: %s [R8-REST-SERVED]', async (path) => {
    expect(await writes(path)).toBe(false);
  });

  it('cannot make what would be loaded next, through a link to a folder either [R8-REST-SERVED]', async () => {
    for (const path of [
      'agents.mjs',
      'here/agents.mjs',
      'here/here/flyball.yaml',
      'crew/agents.mjs',
      'crew/tools/x.mjs',
    ])
      expect(await writes(path), path).toBe(false);
  });

  it('can write the rest [R8-REST-SERVED]', async () => {
    for (const path of ['notes.md', 'team/notes.md', 'crew/more.md', 'here/free.txt', 'more/free.txt', 'state/x.txt'])
      expect(await writes(path), path).toBe(true);
  });
});
