import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processSandbox } from '../../packages/flyball/src/adapters/sandbox-process/index.js';
import { type ShellResult, shellTool, unsandboxed } from '../../packages/flyball/src/toolbox/shell.js';
import { readOnlyCommands } from '../../packages/flyball/src/tools/rules/commands-read-only.js';
import { patient } from '../patience.js';
import table from './git-cases.json' with { type: 'json' };

let base: string;
let repository: string;
let trace: string;
let program: string;
const ENV = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

function git(cwd: string, ...words: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...who, ...words], { cwd, env: ENV, stdio: 'pipe' });
}

function attempt(cwd: string, ...words: string[]): void {
  try {
    git(cwd, ...words);
  } catch {
    // a merge with a conflict ends this way, and is what is wanted
  }
}

/** A history with a merge that had a conflict, a stash, a submodule and files that differ from the index. */
function fill(): void {
  mkdirSync(join(base, 'library'));
  git(join(base, 'library'), 'init', '-q', '-b', 'main');
  writeFileSync(join(base, 'library', 's.x'), 'line\n');
  git(join(base, 'library'), 'add', '.');
  git(join(base, 'library'), 'commit', '-q', '-m', 'library');
  git(repository, 'init', '-q', '-b', 'main');
  for (const name of ['a.x', 'b.x']) writeFileSync(join(repository, name), 'line one\n');
  writeFileSync(join(repository, '.gitattributes'), '*.x diff=evil filter=evil merge=evil\n');
  git(repository, 'submodule', '--quiet', 'add', join(base, 'library'), 'sub');
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'first');
  git(repository, 'checkout', '-q', '-b', 'side');
  writeFileSync(join(repository, 'a.x'), 'line side\n');
  git(repository, 'commit', '-q', '-a', '-m', 'side');
  git(repository, 'checkout', '-q', 'main');
  writeFileSync(join(repository, 'a.x'), 'line main\n');
  git(repository, 'commit', '-q', '-a', '-m', 'main');
  attempt(repository, 'merge', '-q', 'side');
  writeFileSync(join(repository, 'a.x'), 'line both\n');
  git(repository, 'commit', '-q', '-a', '-m', 'merged');
  writeFileSync(join(repository, 'a.x'), 'line stashed\n');
  git(repository, 'stash', '-q');
}

function harm(): void {
  const hooks = join(base, 'hooks');
  mkdirSync(hooks);
  for (const name of ['post-index-change', 'pre-commit', 'fsmonitor-watchman', 'reference-transaction'])
    writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
  const configs = [join(repository, '.git', 'config'), join(repository, '.git', 'modules', 'sub', 'config')];
  for (const setting of table.settings) {
    const at = setting.indexOf('=');
    const value = setting
      .slice(at + 1)
      .replace('{program}', program)
      .replace('{hooks}', hooks);
    for (const file of configs) git(base, 'config', '--file', file, '--add', setting.slice(0, at), value);
  }
  for (const name of ['', 'modules/sub/'])
    appendFileSync(join(repository, '.git', `${name}info/attributes`), '*.x diff=evil filter=evil merge=evil\n');
}

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-git-')));
  repository = join(base, 'repository');
  trace = join(base, 'ran');
  program = join(base, 'program');
  mkdirSync(repository);
  writeFileSync(program, `#!/bin/sh\ntouch ${trace}\n`);
  chmodSync(program, 0o755);
  fill();
  harm();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** As long, and of another time: then git has to compare contents, and asks filters. */
beforeEach(() => {
  rmSync(trace, { force: true });
  for (const [name, text] of [
    ['a.x', 'line othr\n'],
    ['b.x', 'line one\n'],
    ['sub/s.x', 'line\n'],
  ] as const) {
    writeFileSync(join(repository, name), text);
    utimesSync(join(repository, name), new Date(), new Date(Date.now() - Math.random() * 1e8));
  }
});

function run(argv: readonly string[], cwd = repository): Promise<ShellResult> {
  const sandbox = unsandboxed(processSandbox(), 'what runs here leaves its trace');
  const tool = shellTool({ sandbox, cwd, rules: readOnlyCommands() });
  return tool.execute({ argv }, { key: 'k', signal: new AbortController().signal }) as Promise<ShellResult>;
}

describe('git that only reads, in a repository whose settings name programs [R3-SHELL-ALLOW] [R3-SHOW-SECURITY]', () => {
  it.each(table.calls)('runs none of them — git %s', async (call) => {
    const { stderr, exitCode } = await run(['git', ...call.split(' ')]);
    expect(existsSync(trace)).toBe(false);
    if (call !== 'remote show origin')
      expect({ stderr, ok: exitCode === 0 || exitCode === 1 }).toEqual({ stderr: '', ok: true });
  });

  it.each(table.bites)('would run one if it were called as it is — git %s', (call) => {
    spawnSync('git', call.split(' '), {
      cwd: repository,
      env: ENV,
      stdio: 'ignore',
      timeout: patient(3_000),
      killSignal: 'SIGKILL',
    });
    expect(existsSync(trace)).toBe(true);
  });

  it('takes no folder for a repository because its files look like one', async () => {
    const bare = join(base, 'bare');
    for (const folder of ['objects', 'refs']) mkdirSync(join(bare, folder), { recursive: true });
    writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(bare, 'config'), `[diff]\n\texternal = ${program}\n[core]\n\tbare = true\n`);
    for (const name of ['a', 'b']) writeFileSync(join(bare, name), name);
    const call = ['diff', '--no-index', 'a', 'b'];
    expect((await run(['git', ...call], bare)).stdout).toContain('+b');
    expect((await run(['git', 'log'], bare)).stderr).toContain('bare repository');
    expect(existsSync(trace)).toBe(false);
    spawnSync('git', call, { cwd: bare, env: ENV, stdio: 'ignore', timeout: patient(3_000), killSignal: 'SIGKILL' });
    expect(existsSync(trace)).toBe(true);
  });

  it('is not run at all where the settings cannot be read', async () => {
    const broken = join(base, 'broken');
    mkdirSync(broken);
    git(broken, 'init', '-q');
    appendFileSync(join(broken, '.git', 'config'), '[filter\n');
    await expect(run(['git', 'status'], broken)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('cannot be checked for programs'),
    });
  });

  it('still shows what has changed', async () => {
    expect((await run(['git', 'diff', '--', 'a.x'])).stdout).toContain('+line othr');
    expect((await run(['git', 'status', '--short'])).stdout).toContain('M a.x');
  });
});
