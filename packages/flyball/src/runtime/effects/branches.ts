import { CancelledError, ConfigError } from '../../core/errors.js';
import type { Run, Settled } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import { rollback } from '../rollback.js';
import { askAs, assertOutsideEffects } from './effect.js';

type Branch<T> = (run: Run) => Promise<T>;

/** Runs the branches, at most `width` at a time, started in order. A failed branch is a result, not an exception. */
export async function all<T>(
  attempt: Attempt,
  scope: Scope,
  given: { readonly branches: readonly Branch<T>[]; readonly width: number; readonly runFor: (branch: Scope) => Run },
): Promise<readonly Settled<T>[]> {
  const { branches, width } = given;
  if (!(Number.isInteger(width) && width >= 1))
    throw new ConfigError(`width must be a whole number of at least 1, got ${width}.`);
  const lanes = Math.min(width, branches.length);
  openBranches(attempt, scope, lanes);
  const group = `${scope.path}/all.${scope.groups++}`;
  const results: Settled<T>[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < branches.length; index = next++) {
      const branch = branches[index] as Branch<T>;
      const own = attempt.effects.scope(`${group}.${index}`, scope);
      results[index] = await settled(() => branch(given.runFor(own)));
      if (own.isOver() && own.closedReason() === undefined) attempt.effects.forget(own);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    closeBranches(scope, lanes);
  }
  return results;
}

/**
 * The first branch to succeed wins. The losers are aborted and what they did to the world is undone before this
 * resolves. An act of theirs that is in doubt does not hold up the winner: it is undone when it turns out to have happened.
 */
export async function first<T>(
  attempt: Attempt,
  scope: Scope,
  given: { readonly branches: readonly Branch<T>[]; readonly runFor: (branch: Scope) => Run },
): Promise<T> {
  const { branches } = given;
  if (branches.length === 0) throw new ConfigError('first needs at least one branch.');
  openBranches(attempt, scope, branches.length);
  const group = `${scope.path}/first.${scope.groups++}`;
  const scopes = branches.map((_branch, index) => attempt.effects.scope(`${group}.${index}`, scope));
  try {
    const { value, index } = await winner(branches, (at) => given.runFor(scopes[at] as Scope));
    const losers = scopes.filter((_scope, at) => at !== index);
    const why = 'another branch won';
    for (const { path } of losers) attempt.effects.close(path, new CancelledError(why, path));
    for (const loser of losers.reverse()) await undoBranch(attempt, scope, loser, why);
    return value;
  } finally {
    closeBranches(scope, branches.length);
  }
}

function winner<T>(
  branches: readonly Branch<T>[],
  runFor: (index: number) => Run,
): Promise<{ readonly value: T; readonly index: number }> {
  return new Promise((resolve, reject) => {
    let left = branches.length;
    branches.forEach((branch, index) => {
      const lost = (error: unknown): void => {
        left--;
        if (left === 0) reject(error); // nobody succeeded: the last failure stands for all
      };
      settled(() => branch(runFor(index))).then(
        (result) => (result.ok ? resolve({ value: result.value, index }) : lost(result.error)),
        lost,
      );
    });
  });
}

/** Undoes what a branch did that was cut off. */
export async function undoBranch(attempt: Attempt, scope: Scope, loser: Scope, why: string): Promise<void> {
  if (!attempt.journal.saga.hasActed(loser.path)) return;
  await askAs<void>(attempt, scope, `${loser.path}!rollback`, {
    kind: 'rollback',
    fp: '',
    want: {},
    drive: async (pending) => {
      pending.phase = 'waiting'; // for acts of the branch that are in flight; nobody waits here for a doubt
      await attempt.effects.open.actsSettled(loser.path);
      pending.phase = 'running';
      const report = await rollback(attempt, loser.path, why);
      attempt.delivery.record({ type: 'rollback-end', scope: loser.path, report });
    },
    answer: () => undefined,
  });
}

export function openBranches(attempt: Attempt, scope: Scope, count: number): void {
  assertOutsideEffects(attempt);
  const closed = scope.closedReason();
  if (closed !== undefined) throw closed;
  const refusal = attempt.books.eras.decide(attempt.delivery.isLive, () => scope.ledger.openBranches(count));
  if (refusal !== undefined) throw attempt.books.bounds.tripAtOnce(refusal);
  scope.branches += count;
}

export function closeBranches(scope: Scope, count: number): void {
  scope.ledger.closeBranches(count);
  scope.branches -= count;
}

export async function settled<T>(branch: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await branch() };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
