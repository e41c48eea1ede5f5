import type { Store } from '../ports/store.js';
import { type ItemValue, itemOf, type MemoryKind, partsOf, prefixOf, type StoredItem } from './items.js';
import { type FullEntry, type IndexEntry, shownAt } from './levels.js';
import { byTime } from './ranking.js';
import type { Asking } from './search.js';
import { itemsOf, type Place, recordKey } from './shelf.js';

/** One item by its id; undefined when there is none, or it is another run's working memory. */
export async function itemAt(store: Store, { place, run }: Asking, id: string): Promise<StoredItem | undefined> {
  const { kind, key } = partsOf(id);
  if (kind === 'working' && !key.startsWith(prefixOf(run))) return undefined;
  const record = await store.get(recordKey(place, kind, key));
  return record === undefined ? undefined : itemOf(kind, record);
}

/** Which page of memories to list. */
export interface ListPage {
  /** Only items of this conversation, of the kind `session`. */
  readonly session?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of memories. */
export interface Listed {
  readonly items: readonly IndexEntry[];
  readonly cursor?: string;
}

export async function listItems(
  store: Store,
  { place, run }: Asking,
  { kind, session, limit = 50, cursor }: ListPage & { readonly kind: MemoryKind },
): Promise<Listed> {
  const prefix = kind === 'working' ? run : kind === 'session' ? session : undefined;
  const page = await store.query({
    ...place,
    collection: recordKey(place, kind, '').collection,
    limit,
    ...(prefix === undefined ? {} : { prefix: prefixOf(prefix) }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const items = page.records.map((record) => shownAt('index', itemOf(kind, record)));
  return { items, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
}

/** Versions that say something of their own, oldest first. */
export async function versionsOf(store: Store, place: Place, id: string): Promise<readonly FullEntry[]> {
  const { kind, key } = partsOf(id);
  const records = await store.history(recordKey(place, kind, key));
  return records
    .filter(({ erased, value }) => erased !== true && (value as ItemValue).reembedded !== true)
    .map((record) => shownAt('full', itemOf(kind, record)));
}

export async function eraseItems(store: Store, place: Place, ids: readonly string[], at: number): Promise<void> {
  for (const id of ids) {
    const { kind, key } = partsOf(id);
    await store.erase(recordKey(place, kind, key), at);
  }
}

const ALL_WORKING = 10_000;

/** Erases a run's working memory but for its newest items. */
export async function keepNewest(
  store: Store,
  { place, run }: Asking,
  { count, at }: { readonly count: number; readonly at: number },
): Promise<void> {
  const { items } = await itemsOf(store, place, { kind: 'working', prefix: prefixOf(run), limit: ALL_WORKING });
  const old = [...items].sort(byTime).slice(count);
  await eraseItems(
    store,
    place,
    old.map(({ id }) => id),
    at,
  );
}
