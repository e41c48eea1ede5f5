import type { Clock, Store } from 'flyball';
import type { Log } from '../log.js';
import { SERVER_TENANT } from './names.js';

const EVERY_MS = 600_000;
const AT_ONCE = 100;
/** More is looked at than is made, so that what is over goes faster than more of it comes. */
const EVERY_REQUESTS = AT_ONCE / 2;

export interface Sweeping {
  readonly collection: string;
  readonly log: Log;
  readonly isOver: (value: unknown) => boolean;
}

interface Place {
  readonly at: number;
  readonly requests: number;
  /** Where the next sweep goes on. */
  readonly cursor?: string;
}

/** Erases what is over, a little at a time and beside the requests that bring it about. */
export function sweeper(store: Store, clock: Clock, { collection, log, isOver }: Sweeping): (owner: string) => void {
  const swept = new Map<string, Place>();
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
  const begin = (owner: string, place: Place): void => {
    const now = clock.monotonic();
    swept.set(owner, { ...place, at: now, requests: 0 });
    sweep(owner, place.cursor)
      .then((cursor) => {
        const { requests } = swept.get(owner) ?? place;
        swept.set(owner, { at: now, requests, ...(cursor === undefined ? {} : { cursor }) });
      })
      .catch((error: unknown) => log.error('old records were not removed', error, { collection }));
  };
  return (owner) => {
    const last = swept.get(owner) ?? { at: clock.monotonic(), requests: 0 };
    const place = { ...last, requests: last.requests + 1 };
    swept.set(owner, place);
    if (place.requests >= EVERY_REQUESTS || clock.monotonic() - place.at >= EVERY_MS) begin(owner, place);
  };
}
