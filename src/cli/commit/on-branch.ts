import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NO_BASELINE } from '../../checks/baseline.js';
import type { TestHarness } from '../../checks/contracts.js';
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
}

/**
 * What the loop committed, as a commit of git on a new branch. Only what passed every gate gets one, and only if the
 * tests also pass on what is committed, checked out by itself: ignored files and leftovers are in no commit.
 */
export function onBranch(loop: Agent<TaskSpec, CommitResult>, given: OnBranch): Agent<TaskSpec, CommitResult> {
  const { root, branch } = given;
  return async (run, task): Promise<Outcome<CommitResult>> => {
    const outcome = await loop(run, task);
    if (outcome.stop !== 'done') return outcome.stop === 'degraded' ? notVerified(outcome.because) : outcome;
    const { status, overrides } = outcome.value;
    if (status !== 'committed' || overrides.length > 0) return notVerified('gates were closed');
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
async function problemIn(run: Run, { root, checkFolder, tests }: OnBranch, { tree }: MadeTree) {
  const checkedOut = async (): Promise<null> => {
    await checkOut(root, tree, checkFolder);
    return null;
  };
  await run.step('check-out', { tree }, checkedOut, { class: 'idempotent' });
  const problem = await firstProblem(run, tests);
  // a step too: a run that stopped in between finds its files again
  await run.step('clear-check', { tree }, async () => cleared(checkFolder), { class: 'idempotent' });
  return problem;
}

async function firstProblem(run: Run, tests: readonly TestHarness[]): Promise<string | undefined> {
  for (const test of tests) {
    const { failed: failing, passed, problem } = await test.runTests(run, NO_BASELINE);
    if (problem !== undefined) return `the tests of the commit could not be run: ${problem}`;
    if (failing > 0 || passed === 0) return `the tests of the commit do not pass (${failing} failed)`;
  }
  return undefined;
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
