import { runNotFound, runRemoved } from '../core/engine-errors.js';
import type { FlyballError } from '../core/errors.js';
import type { OperationAction } from '../core/operations.js';
import type { Engine } from '../ports/engine.js';

const REMOVALS: readonly OperationAction[] = ['prune', 'erase', 'archive', 'restore'];

/** What to say of a run that is not there: that it never was, or what became of it. `tenant`: of another, nothing is said. */
export async function missingRun(
  engine: Pick<Engine, 'operations'>,
  runId: string,
  tenant?: string,
): Promise<FlyballError> {
  const last = (await engine.operations(runId)).findLast(({ action }) => REMOVALS.includes(action));
  const isGone = last !== undefined && last.action !== 'restore';
  if (!isGone || (tenant !== undefined && last.tombstone?.tenant !== tenant)) return runNotFound(runId);
  return runRemoved(last);
}
