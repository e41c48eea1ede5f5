import type { RunRecord } from 'flyball';
import { FlyballError } from 'flyball';
import { refuseDamaged } from 'flyball/internal';
import { isWithin, type Principal, reachOf } from '../access/principal.js';
import type { Parts } from '../parts.js';
import { notFound, Problem } from '../problem.js';

/**
 * The run, if the caller reaches it. One of another tenant or subject is answered like one that never was, and one whose
 * record is damaged is given to nobody: nobody knows whose it is.
 */
export async function ownRun(
  { fleet }: Pick<Parts, 'fleet'>,
  principal: Pick<Principal, 'tenant' | 'subject' | 'scopes'>,
  runId: string,
): Promise<RunRecord> {
  const record = await fleet.get(runId).catch((error: unknown) => {
    if (!(error instanceof FlyballError) || error.code !== 'RUN_NOT_FOUND') throw error;
    const { removed, tenant } = error.detail;
    const reach = reachOf(principal);
    // whose it was within the tenant is not kept: only who may read all of them is told what became of it
    if (removed !== undefined && tenant === reach.tenant && reach.subject === undefined)
      throw new Problem(404, 'NOT_FOUND', error.message, { cause: error });
    return undefined;
  });
  if (record !== undefined) refuseDamaged(record);
  if (record === undefined || !isWithin(reachOf(principal), record)) throw notFound('run', runId);
  return record;
}
