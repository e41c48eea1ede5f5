import type { Clock } from '../ports/clock.js';
import type { RunRecord } from '../ports/engine.js';
import type { Store } from '../ports/store.js';

/** Where a server keeps what it answered to requests with an idempotency key, by tenant: `{ run }` says about which run. */
export const KEPT_ANSWERS = { tenant: '~server', collection: 'idempotency' } as const;

const PAGE = 100;

/**
 * Kept answers repeat what a run was given and what it said, so they go with it. They go first: a repeated request then
 * finds its run by name, or that it is gone; after a crash in between nobody would know any more which ones they were.
 */
export async function eraseAnswers(
  { store, clock }: { readonly store: Store; readonly clock: Pick<Clock, 'now'> },
  records: readonly RunRecord[],
): Promise<void> {
  const going = new Set(records.map(({ id }) => id));
  for (const owner of new Set(records.map(({ tenant }) => tenant)))
    for (let cursor: string | undefined; ; ) {
      const place = { ...KEPT_ANSWERS, owner };
      const page = await store.query({ ...place, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const { key, value } of page.records)
        if (going.has((value as { readonly run?: string }).run ?? ''))
          await store.erase({ ...place, key }, clock.now());
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
}
