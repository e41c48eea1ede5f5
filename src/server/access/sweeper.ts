import type { Clock } from '../../ports/clock.js';
import type { Store } from '../../ports/store.js';
import type { Log } from '../log.js';
import { SERVER_TENANT } from './names.js';

const EVERY_MS = 600_000;
const AT_ONCE = 100;

export interface Sweeping {
  readonly collection: string;
  readonly log: Log;
  readonly isOver: (value: unknown) => boolean;
}

/** Erases what is over, a little at a time and beside the requests that bring it about. */
export function sweeper(store: Store, clock: Clock, { collection, log, isOver }: Sweeping): (owner: string) => void {
  const swept = new Map<string, { at: number; cursor?: string }>();
  const sweep = async (owner: string, from: string | undefined): Promise<string | undefined> => {
    const page = await store.query({
      tenant: SERVER_TENANT,
      owner,
      collection,
      limit: AT_ONCE,
      ...(from === undefined ? {} : { cursor: from }),
    });
    for (const { key, value } of page.records)
      if (isOver(value)) await store.erase({ tenant: SERVER_TENANT, owner, collection, key }, clock.now());
    return page.cursor;
  };
  return (owner) => {
    const last = swept.get(owner);
    const now = clock.now();
    if (last === undefined) swept.set(owner, { at: now });
    else if (now - last.at >= EVERY_MS) {
      swept.set(owner, { at: now });
      sweep(owner, last.cursor)
        .then((cursor) => swept.set(owner, { at: now, ...(cursor === undefined ? {} : { cursor }) }))
        .catch((error: unknown) => log.error('old records were not swept', error, { collection }));
    }
  };
}
