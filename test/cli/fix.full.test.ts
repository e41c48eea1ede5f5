import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { modelServer, type ServedRequest } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { treeOf } from '../commit/repository-bed.js';
import { flyball, type Said } from './in-process.js';

/** A repository with one planted bug, in either language. */
interface Planted {
  readonly files: Readonly<Record<string, string>>;
  readonly broken: string;
  readonly wrong: string;
  readonly right: string;
}

const JAVASCRIPT: Planted = {
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
};

const PYTHON: Planted = {
  files: {
    'pytest.ini': '[pytest]\n',
    'total.py': 'def total(prices):\n    return -sum(prices)\n',
    'test_total.py': 'from total import total\n\n\ndef test_adds_up():\n    assert total([1, 2]) == 3\n',
  },
  broken: 'total.py',
  wrong: '-sum(prices)',
  right: 'sum(prices)',
};

function git(cwd: string, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@shop.example'];
  return execFileSync('git', [...who, ...words], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function plant({ files }: Planted): { readonly base: string; readonly root: string; readonly issue: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-fix-test-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'repository');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'as it was');
  const issue = join(base, 'issue.md');
  writeFileSync(issue, '# Totals are wrong\n\nThe total of 1 and 2 should be 3.\n');
  return { base, root, issue };
}

/** What the model does at work: `right` mends the bug, `wrong` writes another one, `idle` changes nothing. */
type Way = 'right' | 'wrong' | 'idle';

function replies({ broken, wrong, right }: Planted, way: Way) {
  return ({ messages }: ServedRequest) => {
    const setup = messages[0]?.content;
    if (setup?.startsWith('You plan')) return JSON.stringify(plan(way === 'idle' ? 'read_file' : 'edit_file'));
    if (setup?.startsWith('You judge')) return judged(setup);
    if (setup?.startsWith('You look')) return JSON.stringify({ defects: [] });
    if (setup?.startsWith('You repair')) return 'I do not know how.';
    if (messages.some(({ role }) => role === 'tool')) return 'Done.';
    const call = (name: string, args: object) => ({ toolCalls: [{ id: 'c1', name, arguments: JSON.stringify(args) }] });
    if (way === 'idle') return call('read_file', { path: broken });
    const edits = [{ old: wrong, new: way === 'right' ? right : `${right}${right}` }];
    return call('edit_file', { path: broken, edits });
  };
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

async function fixed(planted: Planted, way: Way, more: readonly string[] = []) {
  const bed = plant(planted);
  const server = await modelServer({ replies: replies(planted, way), models: ['test'] });
  onTestFinished(() => server.close());
  const before = { tree: treeOf(bed.root), head: git(bed.root, 'rev-parse', 'HEAD') };
  const db = join(bed.base, 'runs.db');
  const words = [
    'fix',
    bed.root,
    '--issue',
    bed.issue,
    '--price',
    '0,0',
    '--branch',
    'fix/totals',
    '--db',
    db,
    ...more,
  ];
  const env = {
    ...process.env,
    OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat'),
    FLYBALL_MODEL: 'openai-compatible/test',
  };
  const said: Said = await flyball(words, env);
  return { ...bed, before, said };
}

/** Everything but what git keeps for itself. */
function withoutGit(tree: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !/^\.git(\/|$)/.test(path)));
}

function expectUntouched({ root, before }: Awaited<ReturnType<typeof fixed>>): void {
  expect(withoutGit(treeOf(root))).toEqual(withoutGit(before.tree));
  expect(git(root, 'status', '--porcelain')).toBe('');
  expect(git(root, 'rev-parse', 'HEAD')).toBe(before.head);
  expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(1);
}

describe('flyball fix', () => {
  it.each([
    ['JavaScript', JAVASCRIPT],
    ['Python', PYTHON],
  ])(
    'ends in a verified commit on a new branch of a repository in %s, whose files stay as they are [F-E4]',
    async (_language, planted) => {
      const made = await fixed(planted, 'right');
      expect([made.said.code, made.said.error], made.said.out).toEqual([0, '']);
      expect(made.said.out).toContain('on branch fix/totals. All tests pass.');
      const { root, before } = made;
      expectUntouched(made);
      expect(git(root, 'rev-parse', 'fix/totals^')).toBe(before.head);
      expect(git(root, 'diff', '--name-only', 'main', 'fix/totals')).toBe(planted.broken);
      const mended = readFileSync(join(root, planted.broken), 'utf8').replace(planted.wrong, planted.right);
      expect(`${git(root, 'show', `fix/totals:${planted.broken}`)}\n`).toBe(mended);
    },
  );

  it.each(['wrong', 'idle'] as const)(
    'makes no branch and leaves nothing behind when the model does the %s thing [F-E4]',
    async (way) => {
      const made = await fixed(JAVASCRIPT, way);
      expect(made.said.code, made.said.out).toBe(1);
      expect(made.said.out).toContain('Not fixed. No branch was made');
      expectUntouched(made);
      expect(git(made.root, 'branch', '--list', 'fix/*')).toBe('');
    },
  );

  it('refuses a folder without git, an empty issue and a repository without tests, before a model is asked [F-E4]', async () => {
    const bed = plant({ ...JAVASCRIPT, files: { 'readme.md': 'nothing here\n' } });
    const untested = await flyball(['fix', bed.root, '--issue', bed.issue]);
    expect([untested.code, untested.error]).toEqual([2, expect.stringContaining('without tests nothing can be')]);
    const elsewhere = await flyball(['fix', bed.base, '--issue', bed.issue]);
    expect([elsewhere.code, elsewhere.error]).toEqual([2, expect.stringContaining('not a git repository')]);
    writeFileSync(bed.issue, ' \n');
    const empty = await flyball(['fix', bed.root, '--issue', bed.issue]);
    expect([empty.code, empty.error]).toEqual([2, expect.stringContaining('is empty')]);
    expect(git(bed.root, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});
