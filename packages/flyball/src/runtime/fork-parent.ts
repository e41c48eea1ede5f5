import { refuseDamaged } from '../core/damaged-record.js';
import { runDamaged } from '../core/engine-errors.js';
import { FlyballError } from '../core/errors.js';
import type { ForkPoint } from '../core/events.js';
import type { Engine, RunRecord } from '../ports/engine.js';

/**
 * The run that a run was forked from. Whatever its row says, it is one of the same
 * tenant: a row that came from outside must not lead to what belongs to somebody else. `below`: the forks on the way
 * here, because rows that go round in a circle would be followed for ever.
 */
export async function forkParent(
  engine: Pick<Engine, 'get'>,
  { id, tenant }: Pick<RunRecord, 'id' | 'tenant'>,
  { fork, below }: { readonly fork: ForkPoint; readonly below: readonly string[] },
): Promise<RunRecord> {
  if (fork.run === id || below.includes(fork.run)) throw runDamaged(id, 'The origin');
  const parent = await engine.get(fork.run);
  if (parent !== undefined) refuseDamaged(parent);
  if (parent?.tenant === tenant) return parent;
  throw new FlyballError(
    'RUN_NOT_FOUND',
    `Run ${id} was forked from ${fork.run}, which does not exist. Restore that run from its archive, or remove run ${id}.`,
    { detail: { runId: id, parent: fork.run } },
  );
}
