import { ConfigError } from '../core/errors.js';
import type { EffectContext } from '../core/tool.js';
import { embedAll, packed } from '../retrieval/vectors.js';
import { type ItemValue, MEMORY_KINDS, type MemoryKind, partsOf, type StoredItem } from './items.js';
import { itemsOf, type Place, recordKey, writeRecord } from './shelf.js';
import { type Shelf, searchText } from './write-items.js';

/** How many memories were embedded again. */
export interface Reembedded {
  readonly reembedded: number;
  /** Items of another embedder that are still there: call it again. */
  readonly left: number;
}

/** In one step, so that a step of a large memory does not outlast its time. */
const AT_ONCE = 500;
const MAX_LOOKED_AT = 100_000;

/** Embeds anew what this embedder has not embedded. The contents, their times and what is known of them stay. */
export async function reembedItems(
  { store, embedder }: Shelf,
  place: Place,
  { at, kinds = MEMORY_KINDS }: { readonly at: number; readonly kinds?: readonly MemoryKind[] },
  how: EffectContext,
): Promise<Reembedded> {
  if (embedder === undefined) throw new ConfigError('This memory has no embedder. Pass one: memory({ embedder }).');
  const foreign: StoredItem[] = [];
  for (const kind of kinds) {
    const { items } = await itemsOf(store, place, { kind, limit: MAX_LOOKED_AT });
    foreign.push(...items.filter(({ vector }) => vector?.embedder !== embedder.id));
  }
  const now = foreign.slice(0, AT_ONCE);
  const vectors = await embedAll(embedder, now.map(searchText), { signal: how.signal, as: 'document' });
  for (const [index, item] of now.entries()) {
    const { kind, key } = partsOf(item.id);
    const vector = packed(embedder, vectors[index] as Float32Array);
    const next = (current: ItemValue | undefined): ItemValue | undefined =>
      // changed or forgotten meanwhile: whoever did it has embedded it, or does not want it
      current === undefined || current.content !== item.content ? undefined : { ...current, vector, reembedded: true };
    await writeRecord(store, recordKey(place, kind, key), { proposal: `${how.key}/${item.id}`, now: at, next });
  }
  return { reembedded: now.length, left: foreign.length - now.length };
}
