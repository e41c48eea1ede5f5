import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { root as ownRoot } from '../../scripts/files.mjs';
import { BRANCH, type FixBed, fix, fixWords, git, JAVASCRIPT, modelFor, plant, replies } from './fix-stage.js';
import { flyball } from './in-process.js';

const treesOf = ({ root }: FixBed): number => git(root, 'worktree', 'list').split('\n').length;
const runsIn = (bed: FixBed): readonly string[] => ['--db', join(bed.base, 'runs.db')];

/** A process that makes a work tree for a run and dies. */
function dieWith(bed: FixBed, run: string): void {
  const module = JSON.stringify(join(ownRoot, 'packages/flyball/dist/cli/commit/work-tree.js'));
  const given = JSON.stringify({ branch: 'fix/other', for: { run, database: join(bed.base, 'runs.db') } });
  const program = `const { openWorkTree } = await import(${module});
    await openWorkTree(${JSON.stringify(bed.root)}, ${given});
    process.kill(process.pid, 'SIGKILL');`;
  const env = { ...process.env, TMPDIR: bed.scratch };
  expect(() =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, stdio: 'pipe' }),
  ).toThrow();
}

it('removes the work tree of a fix that died before its run existed or after it ended, and no other [R7-TRIAL-B5]', async () => {
  const bed = plant(JAVASCRIPT);
  const waiting = await fix(bed, replies(JAVASCRIPT, 'right'), ['--budget', 'modelCalls=1']);
  expect(waiting.code, waiting.out + waiting.error).toBe(4);
  const [kept = ''] = readdirSync(bed.scratch);
  const agents = join(bed.base, 'agents.mjs');
  writeFileSync(agents, "export const agents = { echo: async (run, input) => ({ stop: 'done', value: input }) };");
  expect((await flyball(['run', agents, '--id', 'ended', ...runsIn(bed)])).code).toBe(0);
  for (const run of ['never-was', 'ended']) {
    dieWith(bed, run); // which removes what the one before has left
    expect([treesOf(bed), readdirSync(bed.scratch).length]).toEqual([3, 2]);
  }
  git(bed.root, 'branch', BRANCH);
  expect((await flyball(fixWords(bed))).error).toContain(`Branch ${BRANCH} already exists`); // refused, and tidied up before
  expect(readdirSync(bed.scratch)).toEqual([kept]); // its run can go on
  expect(treesOf(bed)).toBe(2);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('Skipped folders of another user: only root can make one.');
it.runIf(isRoot)('looks at no folder of another user [R7-TRIAL-B5]', async () => {
  const bed = plant(JAVASCRIPT);
  dieWith(bed, 'never-was');
  const [left = ''] = readdirSync(bed.scratch);
  chownSync(join(bed.scratch, left), 65_534, 65_534);
  git(bed.root, 'branch', BRANCH);
  expect((await flyball(fixWords(bed))).error).toContain(`Branch ${BRANCH} already exists`);
  expect(readdirSync(bed.scratch)).toEqual([left]);
});

it('says that the work tree is gone, sets the run aside, and shows the way out [R7-TRIAL-B8]', async () => {
  const bed = plant(JAVASCRIPT);
  await fix(bed, replies(JAVASCRIPT, 'right'), ['--budget', 'modelCalls=1']);
  const listed = await flyball(['runs', '--json', ...runsIn(bed)]);
  const [run] = JSON.parse(listed.out).runs as readonly [{ readonly id: string }];
  rmSync(bed.scratch, { recursive: true }); // as a restart does
  const env = await modelFor(replies(JAVASCRIPT, 'right'), bed);
  for (const words of [
    ['resume', run.id, '--budget', 'modelCalls=100'],
    ['cancel', run.id],
  ]) {
    const said = await flyball([...words, ...runsIn(bed)], env);
    expect(said.code, said.out + said.error).toBe(10);
    expect(said.error).toContain(`The work tree of run ${run.id} is gone`);
    expect(said.error).not.toContain('Nothing is lost');
    expect(said.error).toContain('flyball prune --agent fix --status stalled --older 0s');
  }
  const shown = await flyball(['show', run.id, '--json', ...runsIn(bed)]);
  expect(shown.out).toContain('"stalled"');
  const pruned = await flyball([
    'prune',
    '--agent',
    'fix',
    '--status',
    'stalled',
    '--older',
    '0s',
    '--yes',
    ...runsIn(bed),
  ]);
  expect(pruned.code, pruned.error).toBe(0);
  expect(JSON.parse((await flyball(['runs', '--json', ...runsIn(bed)])).out).runs).toEqual([]);
  git(bed.root, 'branch', BRANCH);
  vi.stubEnv('TMPDIR', bed.base);
  await flyball(fixWords(bed));
  expect(treesOf(bed)).toBe(1);
  expect(existsSync(bed.scratch)).toBe(false);
});
