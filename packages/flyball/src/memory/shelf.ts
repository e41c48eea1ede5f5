import { ConfigError, FlyballError } from '../core/errors.js';
import type { RecordKey, Store, StoreRecord } from '../ports/store.js';
import { type ItemValue, itemOf, type MemoryKind, type StoredItem } from './items.js';

/** Whose memory it is. */
export interface Place {
  readonly tenant: string;
  readonly owner: string;
}

const SHARED = 'shared:';

/** The run's subject, or a name that several subjects share. A subject cannot take the name of a shared memory. */
export function placeFor(run: { readonly tenant: string; readonly subject: string }, shared?: string): Place {
  if (shared !== undefined) return { tenant: run.tenant, owner: `${SHARED}${shared}` };
  if (run.subject.startsWith(SHARED))
    throw new ConfigError(`A subject whose name begins with "${SHARED}" has no memory: that name is for shared ones.`);
  return { tenant: run.tenant, owner: run.subject };
}

export function recordKey(place: Place, kind: MemoryKind, key: string): RecordKey {
  return { ...place, collection: `memory.${kind}`, key };
}

const PAGE = 1_000;

/** Items of a kind in key order, at most `limit`; `more` when there are others. */
export async function itemsOf(
  store: Store,
  place: Place,
  what: { readonly kind: MemoryKind; readonly prefix?: string; readonly limit: number },
): Promise<{ readonly items: readonly StoredItem[]; readonly more: boolean }> {
  const { kind, prefix, limit } = what;
  const items: StoredItem[] = [];
  for (let cursor: string | undefined; ; ) {
    if (items.length >= limit) return { items, more: true };
    const page = await store.query({
      ...place,
      collection: `memory.${kind}`,
      limit: Math.min(PAGE, limit - items.length),
      ...(prefix === undefined ? {} : { prefix }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const record of page.records) items.push(itemOf(kind, record));
    if (page.cursor === undefined) return { items, more: false };
    cursor = page.cursor;
  }
}

const TRIES = 5;

export interface Change {
  /** The same for every attempt at this write: what makes a repetition after a crash no second write. */
  readonly proposal: string;
  readonly now: number;
  /** The next value over the current one; undefined leaves it as it is. */
  next(current: ItemValue | undefined): ItemValue | undefined;
}

export interface Written {
  readonly version: number;
  /** False when the current one stayed. */
  readonly changed: boolean;
}

/**
 * Reads, proposes, commits; begins again when somebody else was faster, a bounded number of times. A proposal that was
 * overtaken is dropped before it is made again under the same name, so that at most one version ever carries it.
 */
export async function writeRecord(store: Store, at: RecordKey, change: Change): Promise<Written> {
  for (let tries = 1; ; tries++) {
    const current = await store.get(at);
    const over = current?.version ?? 0;
    const value = change.next(current?.value as ItemValue | undefined);
    if (value === undefined) return { version: over, changed: false };
    try {
      const { version } = await committed(store, at, { ...change, over, value });
      return { version, changed: true };
    } catch (error) {
      if (!isConflict(error)) throw error;
      await store.drop(at, change.proposal);
      if (tries >= TRIES) throw busy(at, error);
    }
  }
}

async function committed(
  store: Store,
  at: RecordKey,
  change: { readonly proposal: string; readonly over: number; readonly value: ItemValue; readonly now: number },
): Promise<StoreRecord> {
  const { proposal, over, value, now } = change;
  await store.propose(at, { id: proposal, over, value, now });
  return store.commit(at, proposal, now);
}

function isConflict(error: unknown): boolean {
  return error instanceof FlyballError && error.code === 'RECORD_CONFLICT';
}

function busy(at: RecordKey, cause: unknown): FlyballError {
  return new FlyballError(
    'RECORD_CONFLICT',
    `${at.collection}/${at.key} was changed by others ${TRIES} times while it was being written. Try again later.`,
    { retryable: true, detail: { collection: at.collection, key: at.key }, cause },
  );
}
