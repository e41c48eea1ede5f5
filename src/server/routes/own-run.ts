import { FlyballError } from '../../core/errors.js';
import type { RunRecord } from '../../ports/engine.js';
import type { Principal } from '../access/principal.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';

/** The run, if it is one of the caller's tenant. One of another tenant is answered like one that never was. */
export async function ownRun(
  { fleet }: Pick<Parts, 'fleet'>,
  { tenant }: Pick<Principal, 'tenant'>,
  runId: string,
): Promise<RunRecord> {
  const record = await fleet.get(runId).catch((error: unknown) => {
    if (error instanceof FlyballError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  });
  if (record === undefined || record.tenant !== tenant) throw notFound('run', runId);
  return record;
}
