import type { RunRecord } from 'flyball';
import type { RunFilter, RunPage } from 'flyball/adapters/engine-kit';
import { isWithin, type Reach } from '../access/principal.js';
import type { Parts } from '../parts.js';

/** A page may be shorter than it could be; its cursor goes on from there. */
const MOST_LOOKS = 20;

type Asked = Omit<RunFilter, 'tenant'> & { readonly limit: number };

/** A page of the runs that are wanted, where an engine cannot say which they are. */
export async function listRuns(
  { fleet, cursors, reach }: Pick<Parts, 'fleet' | 'cursors'> & { readonly reach: Reach },
  { limit, cursor: asked, ...filter }: Asked,
  isWanted: (record: RunRecord) => boolean,
): Promise<RunPage> {
  const runs: RunRecord[] = [];
  let cursor = asked === undefined ? undefined : await cursors.open(asked, reach.tenant);
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const at = cursor === undefined ? {} : { cursor };
    const page = await fleet.list({ ...reach, ...filter, ...at, limit: limit - runs.length });
    // what is asked may name somebody else, and an engine finds a damaged record by what its columns say
    runs.push(...page.runs.filter((record) => isWithin(reach, record) && isWanted(record)));
    cursor = page.cursor;
    if (cursor === undefined || runs.length >= limit) break;
  }
  return { runs, ...(cursor === undefined ? {} : { cursor: await cursors.seal(cursor, reach.tenant) }) };
}
