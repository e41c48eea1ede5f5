import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { modelServer, type ServedRequest } from 'flyball/testing';
import { expect, onTestFinished, vi } from 'vitest';
import { root as ownRoot } from '../../scripts/files.mjs';
import { type Tree, treeOf } from '../commit/repository-bed.js';
import { flyball, type Said } from './in-process.js';

/** A repository with one planted bug, in one of three languages, and a model that works on it. */
export interface Planted {
  readonly files: Readonly<Record<string, string>>;
  readonly broken: string;
  readonly wrong: string;
  readonly right: string;
  readonly test: string;
  /** How anybody runs its tests. */
  readonly command: readonly [string, ...string[]];
  /** Packages that it has installed: those of this repository. */
  readonly hasModules?: true;
}

export const JAVASCRIPT: Planted = {
  files: {
    'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/total.js': 'export const total = (prices) => prices.reduce((sum, price) => sum - price, 0);\n',
    'test/total.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/total.js';
test('adds up', () => assert.equal(total([1, 2]), 3));
test('is nothing for nothing', () => assert.equal(total([]), 0));
`,
  },
  broken: 'src/total.js',
  wrong: 'sum - price',
  right: 'sum + price',
  test: 'test/total.test.js',
  command: [process.execPath, '--test'],
};

export const TYPESCRIPT: Planted = {
  files: {
    '.gitignore': 'node_modules/\n',
    'package.json': `${JSON.stringify({
      name: 'shop',
      type: 'module',
      scripts: { test: 'node --import tsx --test test/total.test.ts' },
      devDependencies: { tsx: '*' },
    })}\n`,
    'src/total.ts':
      'export function total(prices: readonly number[]): number {\n  return prices.reduce((sum, price) => sum - price, 0);\n}\n',
    'test/total.test.ts': `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/total.js';
const prices: readonly number[] = [1, 2];
test('adds up', () => assert.equal(total(prices), 3));
`,
  },
  broken: 'src/total.ts',
  wrong: 'sum - price',
  right: 'sum + price',
  test: 'test/total.test.ts',
  command: [process.execPath, '--import', 'tsx', '--test', 'test/total.test.ts'],
  hasModules: true,
};

export const PYTHON: Planted = {
  files: {
    'pytest.ini': '[pytest]\n',
    'total.py': 'def total(prices):\n    return -sum(prices)\n',
    'test_total.py': 'from total import total\n\n\ndef test_adds_up():\n    assert total([1, 2]) == 3\n',
  },
  broken: 'total.py',
  wrong: '-sum(prices)',
  right: 'sum(prices)',
  test: 'test_total.py',
  command: ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
};

export const LANGUAGES = [
  ['JavaScript', JAVASCRIPT],
  ['TypeScript', TYPESCRIPT],
  ['Python', PYTHON],
] as const;

export function git(cwd: string, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@shop.example'];
  return execFileSync('git', [...who, ...words], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

export interface FixBed {
  readonly base: string;
  readonly root: string;
  readonly issue: string;
  /** Where everything temporary goes while it runs. */
  readonly scratch: string;
  readonly before: Before;
}

interface Before {
  readonly tree: Tree;
  readonly head: string;
  readonly refs: string;
  readonly settings: string;
}

export function plant({ files, hasModules }: Planted): FixBed {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-fix-test-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'repository');
  for (const [path, text] of Object.entries(files)) put(join(root, path), text);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'as it was');
  if (hasModules === true) {
    symlinkSync(join(ownRoot, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, '.git/info/exclude'), 'node_modules\n');
  }
  const issue = join(base, 'issue.md');
  writeFileSync(issue, '# Totals are wrong\n\nThe total of 1 and 2 should be 3.\n');
  const scratch = join(base, 'scratch');
  mkdirSync(scratch);
  return { base, root, issue, scratch, before: stateOf(root) };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function stateOf(root: string): Before {
  const hooks = treeOf(join(root, '.git/hooks'));
  return {
    tree: withoutGit(treeOf(root)),
    head: `${git(root, 'rev-parse', 'HEAD')} ${git(root, 'symbolic-ref', 'HEAD')}`,
    refs: git(root, 'for-each-ref'),
    settings: JSON.stringify([readFileSync(join(root, '.git/config'), 'utf8'), hooks]),
  };
}

/** Everything but what git keeps for itself. */
function withoutGit(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !/^\.git(\/|$)/.test(path)));
}

/** Files, index, HEAD, settings and hooks are as they were; refs too, but for the branch that may have been made. */
export function expectUntouched({ root, before }: FixBed, branch?: string): void {
  const now = stateOf(root);
  const refs = now.refs.split('\n').filter((line) => branch === undefined || !line.endsWith(`refs/heads/${branch}`));
  expect({ ...now, refs: refs.join('\n') }).toEqual(before);
  expect(git(root, 'status', '--porcelain')).toBe('');
  expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(1);
}

/** The commit stands on the last one, leaves the tests alone, and they pass in a clone of it. */
export function expectVerified({ base, root, before }: FixBed, branch: string, planted: Planted): void {
  expect(before.head.startsWith(git(root, 'rev-parse', `${branch}^`))).toBe(true);
  expect(git(root, 'diff', '--name-only', 'main', branch).split('\n')).toEqual([planted.broken]);
  const clone = join(base, 'clone');
  git(base, 'clone', '-q', '-b', branch, root, clone);
  if (planted.hasModules === true) symlinkSync(join(ownRoot, 'node_modules'), join(clone, 'node_modules'));
  const [program, ...words] = planted.command;
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  execFileSync(program, words, { cwd: clone, stdio: 'ignore', env: { ...env, TMPDIR: base } }); // throws where a test fails
  rmSync(clone, { recursive: true, force: true });
}

type ServedReply =
  | string
  | { readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[] };
export type Replies = (request: ServedRequest) => ServedReply | Promise<ServedReply>;

/** What the model does at work: `right` mends the bug, `wrong` writes another one, `idle` changes nothing. */
export type Way = 'right' | 'wrong' | 'idle';

export function replies(planted: Planted, way: Way): Replies {
  const { broken, wrong, right } = planted;
  return (request) => {
    const role = roleOf(request);
    if (role !== 'worker') return soundReply(role, request, way === 'idle' ? 'read_file' : 'edit_file');
    if (request.messages.some(({ role: by }) => by === 'tool')) return 'Done.';
    if (way === 'idle') return call('read_file', { path: broken });
    return call('edit_file', {
      path: broken,
      edits: [{ old: wrong, new: way === 'right' ? right : `${right}${right}` }],
    });
  };
}

export type Role = 'planner' | 'judge' | 'critic' | 'repairer' | 'worker';

export function roleOf({ messages }: ServedRequest): Role {
  const setup = messages[0]?.content ?? '';
  if (setup.startsWith('You plan')) return 'planner';
  if (setup.startsWith('You judge')) return 'judge';
  if (setup.startsWith('You look')) return 'critic';
  return setup.startsWith('You repair') ? 'repairer' : 'worker';
}

export function soundReply(role: Exclude<Role, 'worker'>, { messages }: ServedRequest, tool: string): ServedReply {
  switch (role) {
    case 'planner':
      return JSON.stringify(plan(tool));
    case 'judge':
      return judged(messages[0]?.content ?? '');
    case 'critic':
      return JSON.stringify({ defects: [] });
    case 'repairer':
      return 'I do not know how.';
  }
}

export function call(name: string, args: object | string): ServedReply {
  return { toolCalls: [{ id: 'c1', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }] };
}

function plan(tool: string) {
  const step = { id: 'mend', description: 'Mend it.', stepType: 'tool', requiredTools: [tool] };
  return { goal: 'Fix the totals.', steps: [{ ...step, toolValidationMode: 'strict', expectedOutcome: 'right' }] };
}

/** The form that is asked for stands in the setup. */
function judged(setup: string): string {
  const form = JSON.parse(setup.slice(setup.lastIndexOf('of this schema:\n') + 16)) as {
    readonly properties: { readonly dimensions?: { readonly properties: object } };
  };
  const { dimensions: asked } = form.properties;
  if (asked === undefined) return JSON.stringify({ reasoning: 'Looked again.', yes: false });
  const scored = Object.keys(asked.properties).map((name) => [name, { reasoning: `Looked at ${name}.`, score: 1 }]);
  return JSON.stringify({ dimensions: Object.fromEntries(scored), missing: [], gaps: [] });
}

/** The environment in which the command finds such a model. */
export async function modelFor(answer: Replies, { scratch }: FixBed) {
  const server = await modelServer({ replies: answer, models: ['test'] });
  onTestFinished(() => server.close());
  return {
    ...process.env,
    OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat'),
    FLYBALL_MODEL: 'openai-compatible/test',
    TMPDIR: scratch,
  };
}

export const BRANCH = 'fix/totals';

export function fixWords({ base, root, issue }: FixBed, more: readonly string[] = []): readonly string[] {
  const db = join(base, 'runs.db');
  return ['fix', root, '--issue', issue, '--price', '0,0', '--branch', BRANCH, '--db', db, ...more];
}

/** One command in this process. */
export async function fix(bed: FixBed, answer: Replies, more: readonly string[] = []): Promise<Said> {
  const env = await modelFor(answer, bed);
  vi.stubEnv('TMPDIR', bed.scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  return flyball(fixWords(bed, more), env);
}

/** Gives these calls, one after the other, and then says that it is done. */
export function calling(planted: Planted, calls: readonly (readonly [name: string, args: object])[]): Replies {
  const sound = replies(planted, 'right');
  return (request) => {
    if (!request.messages[0]?.content.startsWith('You change')) return sound(request);
    const made = request.messages.filter(({ role }) => role === 'tool').length;
    const [name, args] = calls[made] ?? [];
    return name === undefined || args === undefined ? 'Done.' : call(name, args);
  };
}
