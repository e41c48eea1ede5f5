import type { EffectContext } from '../core/tool.js';
import type { Embedder } from '../ports/embedder.js';
import type { RecordKey, Store } from '../ports/store.js';
import { embedAll, packed } from '../retrieval/vectors.js';
import { type ItemValue, idOf, keyFor, type MemoryKind, type NewItem, storedFrom } from './items.js';
import { type Place, recordKey, writeRecord } from './shelf.js';

/** Where memories are kept and how they are found. */
export interface Shelf {
  readonly store: Store;
  readonly embedder?: Embedder;
  /** Items that one search looks at. 10,000 where it is absent. */
  readonly maxSearched?: number;
}

/** An item after it was written. */
export interface Remembered {
  readonly id: string;
  readonly version: number;
  /** False where it was known already, or a later fact stands. */
  readonly changed: boolean;
}

export interface Batch {
  readonly run: string;
  readonly at: number;
  readonly items: readonly NewItem[];
}

/** Writes a batch under one key: however often it is attempted, each item is written once. */
export async function writeItems(
  { store, embedder }: Shelf,
  place: Place,
  { run, at, items }: Batch,
  how: EffectContext,
): Promise<readonly Remembered[]> {
  const bare = items.map((item, index) => storedFrom(item, { by: `${how.key}/${index}`, at }));
  const values = await withVectors(embedder, bare, how);
  const written = items.map(async (item, index): Promise<Remembered> => {
    const value = values[index] as ItemValue;
    const key = keyFor(item, run, value.by);
    const next = (current: ItemValue | undefined) => (stands(item.kind, current, value) ? undefined : value);
    const change = { proposal: value.by, now: at, next };
    return { id: idOf(item.kind, key), ...(await writeRecord(store, recordKey(place, item.kind, key), change)) };
  });
  return allOf(written);
}

async function withVectors(
  embedder: Embedder | undefined,
  values: readonly ItemValue[],
  how: EffectContext,
): Promise<readonly ItemValue[]> {
  if (embedder === undefined) return values;
  const vectors = await embedAll(embedder, values.map(searchText), { signal: how.signal, as: 'document' });
  return values.map((value, index) => ({ ...value, vector: packed(embedder, vectors[index] as Float32Array) }));
}

/** An event is written once, by whoever comes first. Of two facts the later one counts, in whatever order they arrive. */
function stands(kind: MemoryKind, current: ItemValue | undefined, value: ItemValue): boolean {
  if (current === undefined || current.by === value.by) return false;
  return kind === 'episodic' || current.at > value.at;
}

const EMBEDDED_LENGTH = 8_000;

/** What an item is found by. */
export function searchText({ title, content, tags }: ItemValue): string {
  return `${title}\n${tags.join(' ')}\n${content.slice(0, EMBEDDED_LENGTH)}`;
}

/** Waits for all of them before it fails: a write that goes on behind the back of a failed effect is nobody's. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** What a fork that is not live gets instead of a write. */
export function simulatedWrite({ items }: Batch): readonly Remembered[] {
  return items.map(({ kind }, index) => ({ id: idOf(kind, `simulated-${index}`), version: 0, changed: false }));
}

/**
 * The compensation of a batch. It does not go by what the write answered: one that was cut off answered nothing and may
 * have written all the same.
 */
export function undoWrites(store: Store, place: Place) {
  return async ({ run, at, items }: Batch, _written: unknown, { key }: EffectContext): Promise<void> => {
    const made = key.replace(/!undo$/, ''); // the key of what is undone
    for (const [index, item] of items.entries()) {
      const by = `${made}/${index}`;
      await unwrite(store, recordKey(place, item.kind, keyFor(item, run, by)), by, { proposal: `${key}/${index}`, at });
    }
  };
}

/** Puts back what stood before a write, unless something else has taken its place since. */
async function unwrite(
  store: Store,
  where: RecordKey,
  by: string,
  { proposal, at }: { readonly proposal: string; readonly at: number },
): Promise<void> {
  const versions = (await store.history(where)).map(({ value }) => value as ItemValue | undefined);
  const before = versions.findLast((value) => value !== undefined && value.by !== by);
  if (before === undefined) return store.erase(where, at);
  await writeRecord(store, where, { proposal, now: at, next: (current) => (current?.by === by ? before : undefined) });
}
