import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { baselineOf, withReports } from '../../checks/baseline.js';
import type { Baselines, TestHarness, TestReport } from '../../checks/contracts.js';
import { TEST_VANISHED } from '../../checks/harness/regressions.js';
import { failed, type Outcome } from '../../core/outcome.js';
import type { Agent, Run } from '../../core/run.js';
import type { TaskSpec } from '../../core/work.js';
import type { CommitResult } from '../../loops/commit/contracts.js';
import { checkPath, type PathRules } from '../../tools/rules/paths.js';
import { type BranchCommit, checkOut, commitToBranch, type MadeTree, makeTree } from './commit-branch.js';
import { changedFiles } from './git.js';

export type BranchedResult = CommitResult & { readonly git: BranchCommit };

export interface OnBranch {
  readonly root: string;
  readonly branch: string;
  /** What was written past the tools, by a test say, is not committed either. */
  readonly paths: PathRules;
  /** Where what would be committed is checked out, and the tests that have to pass there. */
  readonly checkFolder: string;
  readonly tests: readonly TestHarness[];
  /** No file may be changed in which a test stood before. */
  readonly protectTests: boolean;
}

/**
 * What the loop committed, as a commit of git on a new branch. Only what passed every gate gets one, and only if the
 * tests also pass on what is committed, checked out by itself: ignored files and leftovers are in no commit.
 * Every test that runs on the commit before has to run there too: a suite that got shorter passes more easily.
 */
export function onBranch(loop: Agent<TaskSpec, CommitResult>, given: OnBranch): Agent<TaskSpec, CommitResult> {
  const { root, branch } = given;
  return async (run, task): Promise<Outcome<CommitResult>> => {
    const outcome = await loop(run, task);
    if (outcome.stop !== 'done') return outcome.stop === 'degraded' ? notVerified(outcome.because) : outcome;
    const { status, overrides } = outcome.value;
    if (status !== 'committed' || overrides.length > 0) return notVerified('gates failed');
    const made = await run.step('make-tree', { task: task.id }, async () => treeOf(given), { class: 'idempotent' });
    if (made === null) return notVerified('no file was changed');
    const forbidden = made.files.find((path) => !checkPath(given.paths, `${root}/${path}`, 'write').ok);
    if (forbidden !== undefined) return notVerified(`${forbidden} was changed, which is not allowed`);
    const problem = await problemIn(run, given, made);
    if (problem !== undefined) return notVerified(problem);
    const git = await run.step(
      'commit-branch',
      { branch, tree: made.tree, parent: made.parent },
      async () => commitToBranch(root, made, { branch, message: messageFor(task) }),
      { class: 'idempotent' },
    );
    const value: BranchedResult = { ...outcome.value, git };
    return { ...outcome, value };
  };
}

async function treeOf({ root, checkFolder }: OnBranch): Promise<MadeTree | null> {
  const files = await changedFiles(root);
  return files.length === 0 ? null : makeTree(root, files, dirname(checkFolder));
}

/** Why what would be committed is not good, as its own tests show. */
async function problemIn(run: Run, given: OnBranch, { tree, parent, files }: MadeTree): Promise<string | undefined> {
  const { root, checkFolder, tests, protectTests } = given;
  const checkedOut = async (what: string): Promise<null> => {
    await checkOut(root, what, checkFolder);
    return null;
  };
  await run.step('check-out', { tree: parent }, () => checkedOut(parent), { class: 'idempotent' });
  const before = await reportsOf(run, tests, {});
  await run.step('check-out', { tree }, () => checkedOut(tree), { class: 'idempotent' });
  const after = await reportsOf(run, tests, withReports({}, before));
  // a step too: a run that stopped in between finds its files again
  await run.step('clear-check', { tree }, async () => cleared(checkFolder), { class: 'idempotent' });
  const changed = protectTests ? files.find((file) => before.some((report) => holdsTests(report, file))) : undefined;
  return changed === undefined ? after.map(problemOf).find(Boolean) : `${changed} was changed, which holds tests`;
}

async function reportsOf(run: Run, tests: readonly TestHarness[], baselines: Baselines): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const test of tests) reports.push(await test.runTests(run, baselineOf(baselines, test)));
  return reports;
}

function problemOf({ failed: failing, passed, problem, failures }: TestReport): string | undefined {
  if (problem !== undefined) return `the tests of the commit could not be run: ${problem}`;
  if (failing === 0 && passed > 0) return undefined;
  const missing = failures.filter(({ errorType }) => errorType === TEST_VANISHED).map(({ test }) => test);
  // where something failed too, that is why they are missing
  return missing.length > 0 && missing.length === failures.length
    ? `tests that ran before do not run on the commit: ${missing.slice(0, MOST_NAMES).join(', ')}`
    : `the tests of the commit do not pass (${failing} failed)`;
}

const MOST_NAMES = 5;

/** Reports of vitest, jest, pytest and JUnit put the file first in the name of a test. */
function holdsTests({ known }: TestReport, file: string): boolean {
  return known.some((test) => test.startsWith(`${file}::`) || test.startsWith(`${file} > `));
}

async function cleared(folder: string): Promise<null> {
  await rm(folder, { recursive: true, force: true });
  return null;
}

function notVerified(why: string): Outcome<CommitResult> {
  return failed({
    code: 'QUALITY_NOT_REACHED',
    message: `Nothing was committed to a branch: ${why}.`,
    retryable: false,
  });
}

function messageFor({ goal }: TaskSpec): string {
  const [subject = 'Change'] = goal.trim().split('\n');
  return `${subject.slice(0, 72)}\n\n${goal.trim()}\n`;
}
