import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { repetitions } from '../repetitions.js';
import {
  BRANCH,
  call,
  calling,
  expectUntouched,
  expectVerified,
  type FixBed,
  fix,
  fixWords,
  git,
  JAVASCRIPT,
  LANGUAGES,
  modelFor,
  type Planted,
  plant,
  type Replies,
  replies,
  roleOf,
  soundReply,
} from './fix-stage.js';
import { newDesk } from './flyball.js';
import { flyball } from './in-process.js';

const hasPytest = ((): boolean => {
  try {
    execFileSync('python3', ['-m', 'pytest', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('The repository in Python is left out: pytest is not installed (pip install pytest).');
    return false;
  }
})();
const languages = LANGUAGES.filter(([language]) => language !== 'Python' || hasPytest);

describe('flyball fix', () => {
  it.each(languages)(
    'ends in a verified commit on a new branch of a repository in %s, whose files stay as they are [F-E4]',
    async (_language, planted) => {
      const bed = plant(planted);
      const said = await fix(bed, replies(planted, 'right'));
      expect([said.code, said.error], said.out).toEqual([0, '']);
      expect(said.out).toContain(`on branch ${BRANCH}. All tests pass.`);
      expectUntouched(bed, BRANCH);
      expectVerified(bed, BRANCH, planted);
      const mended = readFileSync(join(bed.root, planted.broken), 'utf8').replace(planted.wrong, planted.right);
      expect(`${git(bed.root, 'show', `${BRANCH}:${planted.broken}`)}\n`).toBe(mended);
      expect(readdirSync(bed.scratch)).toEqual([]);
    },
  );

  it.each(['idle'] as const)(
    'makes no branch and leaves nothing behind when the model does the %s thing [F-E4]',
    async (way) => {
      const bed = plant(JAVASCRIPT);
      const said = await fix(bed, replies(JAVASCRIPT, way));
      expect(said.code, said.out).toBe(1);
      expect(said.out).toContain('Not fixed. No branch was created');
      expectUntouched(bed);
      expect(readdirSync(bed.scratch)).toEqual([]);
    },
  );

  it('commits nothing whose tests pass only beside what is in no commit [F-E4]', async () => {
    const ignoring: Planted = {
      ...JAVASCRIPT,
      files: {
        ...JAVASCRIPT.files,
        '.gitignore': 'out/\n',
        'src/total.js':
          "export const total = (prices) => prices.reduce((sum, price) => sum - price, 0);\n// see '../out'\n",
      },
    };
    const bed = plant(ignoring);
    const out = ['write_file', { path: 'out/total.js', content: 'export const plus = (a, b) => a + b;\n' }] as const;
    const edits = [
      { old: 'export const total', new: "import { plus } from '../out/total.js';\nexport const total" },
      { old: 'sum - price', new: 'plus(sum, price)' },
    ];
    const said = await fix(bed, calling(ignoring, [out, ['edit_file', { path: 'src/total.js', edits }]]));
    expect(said.code, said.out).toBe(1);
    expect(said.out).toContain('the tests of the commit do not pass');
    expectUntouched(bed);
  });

  it('plants no git repository, and reaches nothing outside of its work tree [F-E4]', async () => {
    const bed = plant(JAVASCRIPT);
    const outside = join(bed.base, 'outside.txt');
    const hook = '#!/bin/sh\ntouch /tmp/planted\n';
    const attempts = [
      ['write_file', { path: '.git', content: 'gitdir: /tmp/elsewhere\n' }],
      ['write_file', { path: '.git/hooks/post-commit', content: hook }],
      ['write_file', { path: 'vendor/.git/config', content: '[core]\n\tfsmonitor = touch /tmp/planted\n' }],
      ['write_file', { path: 'vendor/.GIT/config', content: '[core]\n' }],
      ['write_file', { path: outside, content: 'x' }],
      ['write_file', { path: `${bed.root}/src/total.js`, content: 'x' }],
      ['write_file', { path: '../fix.yaml', content: 'x' }],
      ['edit_file', { path: JAVASCRIPT.broken, edits: [{ old: JAVASCRIPT.wrong, new: JAVASCRIPT.right }] }],
    ] as const;
    const said = await fix(bed, calling(JAVASCRIPT, attempts));
    expect([0, 1]).toContain(said.code);
    expectUntouched(bed, BRANCH);
    expect(readdirSync(bed.base).sort()).not.toContain('outside.txt');
    if (said.code === 0) expectVerified(bed, BRANCH, JAVASCRIPT);
  });

  it('starts from the last commit where there are uncommitted changes, and says so [F-E4]', async () => {
    const bed = plant(JAVASCRIPT);
    writeFileSync(join(bed.root, 'notes.txt'), 'mine\n');
    const said = await fix(bed, replies(JAVASCRIPT, 'right'));
    expect(said.code, said.out).toBe(0);
    expect(said.out).toContain('Uncommitted changes (1 files) are not included');
    expect(git(bed.root, 'diff', '--name-only', 'main', BRANCH)).toBe(JAVASCRIPT.broken);
    expect(readFileSync(join(bed.root, 'notes.txt'), 'utf8')).toBe('mine\n');
  });

  it('goes on after a limit, in the same work tree, and leaves nothing behind then [F-E4]', async () => {
    const bed = plant(JAVASCRIPT);
    const stopped = await fix(bed, replies(JAVASCRIPT, 'right'), ['--budget', 'modelCalls=3', '--json']);
    expect(stopped.code, stopped.out).not.toBe(0);
    const run = /run_[0-9a-f]{20}/.exec(stopped.out)?.[0] ?? '';
    expect(readdirSync(bed.scratch)).toHaveLength(1);
    const env = await modelFor(replies(JAVASCRIPT, 'right'), bed);
    for (const name of ['OPENAI_COMPATIBLE_BASE_URL', 'FLYBALL_MODEL'] as const) vi.stubEnv(name, env[name]);
    const words = ['resume', run, '--db', join(bed.base, 'runs.db'), '--budget', 'modelCalls=100'];
    const resumed = await flyball(words, env);
    expect(resumed.code, resumed.out + resumed.error).toBe(0);
    expectUntouched(bed, BRANCH);
    expectVerified(bed, BRANCH, JAVASCRIPT);
    expect(readdirSync(bed.scratch)).toEqual([]);
  });
});

/** Draws numbers below 1, the same ones for the same seed. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A model that does the right thing half of the time. What else it does is drawn from the seed. */
function erring(planted: Planted, seed: number, { base, root }: FixBed): Replies {
  const { broken, wrong, right, test } = planted;
  const draw = draws(seed);
  const edit = (edits: object) => call('edit_file', { path: broken, edits });
  const mistakes = [
    () => edit([{ old: wrong, new: `${right}${right}` }]),
    () => call('edit_file', '{"path": "'),
    () => edit([{ old: 'text that is not there', new: right }]),
    () => call('write_file', { path: test, content: '' }),
    () => call('delete_file', { path: test }),
    () => call('write_file', { path: join(base, 'outside.txt'), content: 'x' }),
    () => call('write_file', { path: join(root, broken), content: 'x' }),
    () => call('write_file', { path: '.git/hooks/pre-commit', content: '#!/bin/sh\n' }),
    () => call('no_such_tool', {}),
    () => 'I fixed it, and all tests pass.',
  ];
  const mistake = () => mistakes[Math.floor(draw() * mistakes.length)]?.() ?? '';
  return (request) => {
    const role = roleOf(request);
    if (role !== 'worker') return draw() < 0.12 ? '{"goal": ' : soundReply(role, request, 'edit_file');
    const called = request.messages.some(({ role: by }) => by === 'tool');
    if (called && draw() < 0.6) return 'Done.';
    return draw() < 0.5 ? edit([{ old: wrong, new: right }]) : mistake();
  };
}

describe('flyball fix with a model that makes mistakes', () => {
  it.each(languages)(
    'ends in a verified commit or an honest refusal with the repository as it was, in %s [F-E4]',
    async (language, planted) => {
      const ends: Record<string, number> = {};
      for (let seed = 1; seed <= repetitions({ sample: 10, full: 10 }); seed++) {
        const bed = plant(planted);
        const said = await fix(bed, erring(planted, seed, bed));
        const at = `seed ${seed}: ${said.out}${said.error}`;
        expect([0, 1], at).toContain(said.code);
        ends[said.code] = (ends[said.code] ?? 0) + 1;
        expectUntouched(bed, said.code === 0 ? BRANCH : undefined);
        expect(readdirSync(bed.scratch), at).toEqual([]);
        expect(existsSync(join(bed.base, 'outside.txt')), at).toBe(false);
        if (said.code === 0) expectVerified(bed, BRANCH, planted);
        else expect(said.out, at).toContain('Not fixed. No branch was created');
      }
      console.log(`${language}: ${ends[0] ?? 0} fixed, ${ends[1] ?? 0} refused`);
      expect(ends[0], 'it never got there').toBeGreaterThan(0);
      expect(ends[1], 'no mistake mattered').toBeGreaterThan(0);
    },
  );
});

describe('flyball fix that is killed', () => {
  /** Kills the command when it has asked the model so often, or when what would be committed is being tested. */
  async function killed(bed: FixBed, when: number | 'testing the commit'): Promise<string> {
    let asked = 0;
    let reached: () => void = () => undefined;
    const point = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const sound = replies(JAVASCRIPT, 'right');
    const env = await modelFor((request) => {
      if (++asked === when) reached();
      return asked === when ? new Promise<never>(() => undefined) : sound(request);
    }, bed);
    const desk = newDesk({ env });
    onTestFinished(() => desk.clear());
    const started = desk.start(...fixWords(bed));
    if (when === 'testing the commit') await folderThere(bed.scratch);
    else await point;
    started.child.kill('SIGKILL');
    await once(started.child, 'close').catch(() => undefined);
    const listed = await desk.flyball('runs', '--json', '--db', join(bed.base, 'runs.db'));
    return /run_[0-9a-f]{20}/.exec(listed.out)?.[0] ?? '';
  }

  async function folderThere(scratch: string): Promise<void> {
    for (;;) {
      const [base] = readdirSync(scratch).filter((name) => name.startsWith('flyball-fix-'));
      if (base !== undefined && existsSync(join(scratch, base, '.flyball/check/src'))) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it.each([1, 2, 4, 'testing the commit'] as const)(
    'at %s is resumed to one commit, and leaves nothing behind [F-E4]',
    async (when) => {
      const bed = plant(JAVASCRIPT);
      const run = await killed(bed, when);
      expect(git(bed.root, 'branch', '--list', BRANCH)).toBe('');
      const desk = newDesk({ env: await modelFor(replies(JAVASCRIPT, 'right'), bed) });
      onTestFinished(() => desk.clear());
      const resumed = await desk.flyball('resume', run, '--db', join(bed.base, 'runs.db'));
      expect(resumed.code, resumed.out + resumed.error).toBe(0);
      expect(git(bed.root, 'rev-list', '--count', `main..${BRANCH}`)).toBe('1');
      expectUntouched(bed, BRANCH);
      expectVerified(bed, BRANCH, JAVASCRIPT);
      expect(readdirSync(bed.scratch).filter((name) => name.startsWith('flyball-'))).toEqual([]);
      const again = await fix(bed, replies(JAVASCRIPT, 'right'));
      expect([again.code, again.error]).toEqual([2, expect.stringContaining(`Branch ${BRANCH} already exists`)]);
    },
  );

  it('and started anew makes its commit, while the first run can no longer make one [F-E4]', async () => {
    const bed = plant(JAVASCRIPT);
    const run = await killed(bed, 2);
    const anew = await fix(bed, replies(JAVASCRIPT, 'right'));
    expect(anew.code, anew.out + anew.error).toBe(0);
    const commit = git(bed.root, 'rev-parse', BRANCH);
    const desk = newDesk({ env: await modelFor(replies(JAVASCRIPT, 'right'), bed) });
    onTestFinished(() => desk.clear());
    const resumed = await desk.flyball('resume', run, '--db', join(bed.base, 'runs.db'));
    expect(resumed.code, resumed.out + resumed.error).toBe(0); // the same tree on the same parent: it is that commit
    expect(git(bed.root, 'rev-parse', BRANCH)).toBe(commit);
    expectUntouched(bed, BRANCH);
  });
});
