import type { RunFilter, RunPage, RunRecord } from '../../ports/engine.js';
import type { Parts } from '../parts.js';

/** A page may be shorter than it could be; its cursor goes on from there. */
const MOST_LOOKS = 20;

/** A page of the runs that are wanted, where an engine cannot say which they are. */
export async function listRuns(
  fleet: Parts['fleet'],
  { limit, ...filter }: RunFilter & { readonly limit: number },
  isWanted: (record: RunRecord) => boolean,
): Promise<RunPage> {
  const runs: RunRecord[] = [];
  let { cursor } = filter;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const at = cursor === undefined ? {} : { cursor };
    const page = await fleet.list({ ...filter, ...at, limit: limit - runs.length });
    runs.push(...page.runs.filter(isWanted));
    cursor = page.cursor;
    if (cursor === undefined || runs.length >= limit) break;
  }
  return { runs, ...(cursor === undefined ? {} : { cursor }) };
}
