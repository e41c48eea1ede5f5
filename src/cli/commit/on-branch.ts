import { failed, type Outcome } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { TaskSpec } from '../../core/work.js';
import type { CommitResult } from '../../loops/commit/contracts.js';
import { type BranchCommit, commitToBranch } from './commit-branch.js';
import { changedFiles } from './git.js';

export type BranchedResult = CommitResult & { readonly git: BranchCommit };

/** What the loop committed, as a commit of git on a new branch. Only what passed every gate gets one. */
export function onBranch(
  loop: Agent<TaskSpec, CommitResult>,
  { root, branch }: { readonly root: string; readonly branch: string },
): Agent<TaskSpec, CommitResult> {
  return async (run, task): Promise<Outcome<CommitResult>> => {
    const outcome = await loop(run, task);
    if (outcome.stop !== 'done') return outcome.stop === 'degraded' ? notVerified(outcome.because) : outcome;
    const { status, overrides } = outcome.value;
    if (status !== 'committed' || overrides.length > 0) return notVerified('gates were closed');
    const git = await run.step(
      'commit-branch',
      { branch, task: task.id },
      async () => commitToBranch(root, { branch, files: await changedFiles(root), message: messageFor(task) }),
      { class: 'idempotent' },
    );
    const value: BranchedResult = { ...outcome.value, git };
    return { ...outcome, value };
  };
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
