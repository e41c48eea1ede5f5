import type { RunRecord } from 'flyball';
import type { RunFilter, RunPage } from 'flyball/adapters/engine-kit';
import type { Reach } from '../access/principal.js';
import type { Parts } from '../parts.js';

/** A page may be shorter than it could be; its cursor goes on from there. */
const MOST_LOOKS = 20;

type Asked = Omit<RunFilter, 'tenant'> & Reach & { readonly limit: number };

/** A page of the runs that are wanted, where an engine cannot say which they are. */
export async function listRuns(
  { fleet, cursors }: Pick<Parts, 'fleet' | 'cursors'>,
  { limit, cursor: asked, ...filter }: Asked,
  isWanted: (record: RunRecord) => boolean,
): Promise<RunPage> {
  const runs: RunRecord[] = [];
  let cursor = asked === undefined ? undefined : await cursors.open(asked, filter.tenant);
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const at = cursor === undefined ? {} : { cursor };
    const page = await fleet.list({ ...filter, ...at, limit: limit - runs.length });
    runs.push(...page.runs.filter(isWanted));
    cursor = page.cursor;
    if (cursor === undefined || runs.length >= limit) break;
  }
  return { runs, ...(cursor === undefined ? {} : { cursor: await cursors.seal(cursor, filter.tenant) }) };
}
