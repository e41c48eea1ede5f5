import type { RunRecord } from 'flyball';
import { FlyballError } from 'flyball';
import { isWithin, type Principal, reachOf } from '../access/principal.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';

/** The run, if the caller reaches it. One of another tenant or subject is answered like one that never was. */
export async function ownRun(
  { fleet }: Pick<Parts, 'fleet'>,
  principal: Pick<Principal, 'tenant' | 'subject' | 'scopes'>,
  runId: string,
): Promise<RunRecord> {
  const record = await fleet.get(runId).catch((error: unknown) => {
    if (error instanceof FlyballError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  });
  if (record === undefined || !isWithin(reachOf(principal), record)) throw notFound('run', runId);
  return record;
}
