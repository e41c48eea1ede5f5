import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { done, type Run } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moving, RUN, still } from '../../../../test/runtime/stage.js';
import { detectBubblewrap, localSandbox } from '../adapters/sandbox-bubblewrap/index.js';
import { processSandbox } from '../adapters/sandbox-process/index.js';
import type { Sandbox } from '../ports/sandbox.js';
import { governance } from '../tools/governance/governance.js';
import type { CommandRules } from '../tools/rules/commands.js';
import { readOnlyCommands } from '../tools/rules/commands-read-only.js';
import { type ShellCall, type ShellOptions, type ShellResult, shellTool, unsandboxed } from './shell.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`The shell is tested without a sandbox: ${found.why}.\n`);

let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await localSandbox();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-shell-')));
  writeFileSync(join(folder, 'notes.txt'), 'first\nneedle here\nlast\n');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: folder });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'the first commit');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const anything: CommandRules = {
  programs: { sh: { permit: ['programs'] }, seq: {}, printf: {}, sleep: {}, cat: {}, 'no-such-program': {} },
};

function shell(more: Partial<ShellOptions> = {}) {
  return shellTool({
    sandbox: unsandboxed(sandbox, 'the tests run where bubblewrap is missing too'),
    cwd: folder,
    ...more,
  });
}

async function run(
  call: ShellCall,
  more: Partial<ShellOptions> = {},
): Promise<ShellResult & { readonly text: string }> {
  const tool = shell(more);
  const value = (await tool.execute(call, { key: 'k', signal: new AbortController().signal })) as ShellResult;
  return { ...value, text: String(tool.present?.(value) ?? '') };
}

describe('the shell tool', () => {
  it('finds what is in a real repository [I4.acceptance]', async () => {
    const { stdout, exitCode } = await run({ argv: ['grep', '-rn', 'needle', '--exclude-dir=.git', '.'] });
    expect({ stdout, exitCode }).toEqual({ stdout: './notes.txt:2:needle here', exitCode: 0 });
    expect((await run({ command: 'git log --oneline' })).stdout).toMatch(/^\w+ the first commit$/);
    expect((await run({ argv: ['git', 'status', '--short'] })).stdout).toBe('');
  });

  it('runs a line and a list of vectors the same way', async () => {
    const line = await run({ command: `cat notes.txt | grep -v 'needle here' | wc -l` });
    const vectors = await run({
      pipeline: [
        ['cat', 'notes.txt'],
        ['grep', '-v', 'needle here'],
        ['wc', '-l'],
      ],
    });
    expect(line.stdout.trim()).toBe('2');
    expect(vectors.stdout).toBe(line.stdout);
  });

  it('passes metacharacters on as they are [R3-SHELL-ARGV] [I4.acceptance]', async () => {
    const words = ['a; touch planted', '$(id)', '`id`', '*', '> planted', '&& id'];
    const { stdout } = await run({ argv: ['printf', '%s\\n', ...words] });
    expect(stdout.split('\n')).toEqual(words);
    expect((await run({ argv: ['ls'] })).stdout).toBe('notes.txt');
  });

  it('shows 150 lines of 10,000 and says that 9850 are missing [R3-SHELL-OUTPUT] [I4.acceptance]', async () => {
    const { text, elidedLines } = await run({ argv: ['seq', '10000'] });
    expect(text).toContain('100\n[9850 lines left out]\n9951\n');
    expect(elidedLines).toBe(9850);
    expect((await run({ argv: ['seq', '10'] }, { head: 1, tail: 1 })).stdout).toBe('1\n[8 lines left out]\n10');
  });

  it('tells the model how it ended [R3-SHELL-OUTPUT] [I4.5] [I4.acceptance]', async () => {
    const rules = anything;
    const { text } = await run({ argv: ['sh', '-c', 'echo out; echo err >&2; exit 1'] }, { rules });
    expect(text).toMatch(/^exit code 1\nstdout:\nout\nstderr:\nerr/);
    expect((await run({ argv: ['sh', '-c', 'exit 2'] }, { rules })).text).toMatch(/^exit code 2\nstdout: \(empty\)/);
    expect((await run({ argv: ['no-such-program'] }, { rules })).text).toMatch(
      /^not started: no-such-program: No such file/,
    );
    expect((await run({ argv: ['printf', '\\033[31mred\\033[0m'] }, { rules })).stdout).toBe('red');
  });

  it('tells of a stage that failed before the last one', async () => {
    const { text } = await run({
      pipeline: [
        ['cat', 'missing'],
        ['wc', '-l'],
      ],
    });
    expect(text).toMatch(/^exit code 0\ncommand 1 of the pipeline: exit code 1\n/);
    expect(
      (await run({ command: 'yes | head -n 1' }, { rules: readOnlyCommands({ programs: { yes: {} } }) })).text,
    ).not.toContain('command 1');
  });

  it('kills a command at its timeout and says so [R3-SHELL-KILL] [I4.acceptance]', async () => {
    const { text, end, exitCode } = await run({ argv: ['sleep', '60'] }, { timeoutMs: 300 });
    expect(end).toEqual({ how: 'limit', limit: 'wallMs', allowed: 300 });
    expect(exitCode).toBeNull();
    expect(text).toMatch(/^killed: it ran longer than 0.3 s \(limit wallMs\)/);
  });

  it('names every other limit that trips', async () => {
    const { text } = await run({ argv: ['sh', '-c', 'while :; do :; done'] }, { rules: anything, limits: { cpuS: 1 } });
    expect(text).toMatch(/^killed: it used more than 1 s of CPU time \(limit cpuS\)/);
  });

  it('uses a shell only for what rules allow of a shell', async () => {
    const rules = readOnlyCommands({ features: ['and-or', 'substitution', 'pipe'] });
    expect((await run({ command: 'echo "$(cat notes.txt | head -n 1)" && echo more' }, { rules })).stdout).toBe(
      'first\nmore',
    );
  });

  it('is cancelled with its call', async () => {
    const running = shell().execute({ argv: ['sleep', '60'] }, { key: 'k', signal: AbortSignal.abort() });
    await expect(running).resolves.toMatchObject({ end: { how: 'aborted' } });
  });

  it('declares the commands it is about to run', () => {
    const { touches } = shell();
    expect(touches?.({ argv: ['ls', '-l'] })).toEqual({ commands: [['ls', '-l']] });
    expect(touches?.({ pipeline: [['ls'], ['wc']] })).toEqual({ commands: [['ls'], ['wc']] });
    expect(touches?.({ command: 'ls | wc' })).toEqual({ commands: ['ls | wc'] });
  });

  it.each([
    [{}],
    [{ argv: [] }],
    [{ argv: 'ls' }],
    [{ argv: ['ls', 1] }],
    [{ argv: ['ls'], command: 'ls' }],
    [{ pipeline: [] }],
    [{ shell: 'ls' }],
    [null],
  ])('refuses arguments of the form %j', async (call) => {
    expect(await shell().input['~standard'].validate(call)).toHaveProperty('issues');
  });
});

describe('a shell tool without a sandbox [R3-SANDBOX-SAID]', () => {
  it('cannot be made by mistake [I4.1]', () => {
    const make = (given: unknown) => () => shellTool({ sandbox: given as Sandbox, cwd: folder });
    expect(make(undefined)).toThrow(/needs a sandbox/);
    expect(make(processSandbox({ note: 'bubblewrap is not installed' }))).toThrow(
      /is none: .*bubblewrap is not installed/,
    );
    expect(() => unsandboxed(processSandbox(), ' ')).toThrow(/needs a reason/);
  });

  it('says so in every result, with the reason', async () => {
    const open = { sandbox: unsandboxed(processSandbox({ note: 'bubblewrap is not installed' }), 'a trusted machine') };
    expect((await run({ argv: ['ls'] }, open)).text).toContain(
      'Ran without a sandbox: a trusted machine; bubblewrap is not installed.',
    );
  });

  it('holds paths at least by their names', async () => {
    const open = { sandbox: unsandboxed(processSandbox(), 'a test') };
    await expect(run({ argv: ['cat', '/etc/hostname'] }, open)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('outside'),
    });
    await expect(run({ argv: ['cat', '../x'] }, open)).rejects.toMatchObject({ code: 'DENIED' });
  });

  it.skipIf(!found.available)('is not what is used where there is one', async () => {
    const result = await run({ argv: ['ls'] });
    expect(result).toMatchObject({ sandbox: 'bubblewrap' });
    expect(result).not.toHaveProperty('unsandboxed');
    expect(result.text).not.toContain('sandbox');
    await expect(run({ argv: ['cat', '/etc/shadow'] })).resolves.toMatchObject({ exitCode: 1 });
  });
});

describe('the effect class of the shell', () => {
  const kind = (more: Partial<ShellOptions>) => shell(more).effect;
  const writable = [{ path: tmpdir(), access: 'read-write' as const }];

  it('is pure where nothing that is allowed leaves a trace', () => {
    expect(kind({})).toMatchObject({ class: 'pure' });
    expect(kind({ mounts: writable })).toMatchObject({ class: 'pure' }); // the rules allow reading only
  });

  it.skipIf(!found.available)('is pure for any program in a sandbox without anything to write', () => {
    expect(kind({ rules: anything })).toMatchObject({ class: 'pure' });
    expect(kind({ rules: anything, network: 'host' })).toMatchObject({ class: 'irreversible' });
  });

  it('is irreversible otherwise, so that a person is asked', () => {
    expect(kind({ rules: anything, mounts: writable })).toMatchObject({ class: 'irreversible' });
    expect(kind({ rules: readOnlyCommands({ features: ['redirection'] }), mounts: writable })).toMatchObject({
      class: 'irreversible',
    });
    expect(kind({ rules: anything, sandbox: unsandboxed(processSandbox(), 'a test') })).toMatchObject({
      class: 'irreversible',
    });
  });

  it('is what its owner says', () => {
    expect(kind({ rules: anything, mounts: writable, effect: 'idempotent' })).toMatchObject({ class: 'idempotent' });
  });
});

describe('what a command can write', () => {
  const rules: CommandRules = { programs: { touch: {} } };
  const mounts = () => [{ path: folder, access: 'read-write' as const }];

  it.skipIf(!found.available)('is nothing where the shell counts as pure, whatever its mounts say', async () => {
    expect((await run({ argv: ['touch', 'x'] }, { rules, mounts: mounts(), effect: 'pure' })).stderr).toContain(
      'Read-only',
    );
    expect((await run({ argv: ['touch', 'notes.txt'] }, { rules, mounts: mounts() })).exitCode).toBe(0);
  });

  it.skipIf(!found.available)('is neither .git nor .flyball', async () => {
    const state = join(folder, '.flyball');
    mkdirSync(state);
    for (const file of ['.git/config', '.git/planted', '.flyball/planted'])
      expect((await run({ argv: ['touch', file] }, { rules, mounts: mounts() })).stderr, file).toContain('Read-only');
    rmSync(state, { recursive: true });
  });

  it.skipIf(!found.available)(
    'is the repository for a git that may write, but not its settings and hooks',
    async () => {
      const writing: CommandRules = { programs: { ...rules.programs, git: {} } };
      const write = (file: string) => run({ argv: ['touch', file] }, { rules: writing, mounts: mounts() });
      expect((await write('.git/COMMIT_EDITMSG')).exitCode).toBe(0);
      for (const file of ['.git/config', '.git/hooks/pre-commit'])
        expect((await write(file)).stderr, file).toContain('Read-only');
    },
  );
});

describe('a command that rules want approved', () => {
  const rules: CommandRules = { programs: { git: { subcommands: ['push', 'status'], approve: ['push --force'] } } };
  const call = { argv: ['git', 'push', '--force'] };

  it('waits for a person, and is not run before [I4.6] [I4.acceptance]', async () => {
    const stage = moving();
    const tool = shell({ rules, effect: 'idempotent', approvals: 'by-guard' });
    const agent = async (going: Run) => done((await going.call(tool, call)).content);
    const life = stage.open(agent, {
      seams: governance({ clock: stage.clock, commands: rules, autonomy: 'autonomous' }),
    });
    const outcome = await life.start();
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval', request: expect.anything() }] });
    expect(JSON.stringify(outcome)).toContain('push --force');
    expect(await stage.events('intent', RUN)).toEqual([]);
  });

  it('is refused by the tool itself where nobody would be asked', async () => {
    await expect(run(call, { rules, effect: 'idempotent' })).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('Nobody can be asked'),
    });
    expect((await run(call, { rules, mounts: [{ path: folder, access: 'read-write' }] })).exitCode).toBe(128); // irreversible: a person was asked
  });

  it('is refused before a person is asked where rules do not allow it at all [I4.3] [I4.4]', async () => {
    const stage = still();
    const tool = shell({ rules: anything, mounts: [{ path: folder, access: 'read-write' }] });
    const agent = async (going: Run) => done((await going.call(tool, { command: 'rm -rf .' })).content);
    const outcome = await stage.open(agent).start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: expect.stringContaining('rm is not among the allowed programs'),
    });
  });
});
