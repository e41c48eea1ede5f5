import type { RecordKey, Store, StoreRecord } from 'flyball';
import { FlyballError } from 'flyball';

/** How often whoever is overtaken by another process looks again. Somebody gets on each time, so this is never reached by chance. */
const TRIES = 200;

export interface Change {
  /** Names the change: made once however often it is asked for. */
  readonly id: string;
  readonly now: number;
  /** From what is there to what shall be. Throws to leave it as it is. */
  readonly make: (current: StoreRecord | undefined) => unknown;
}

/** Changes one record whoever else does so at the same time, and answers what this change made of it. */
export async function changeRecord(store: Store, at: RecordKey, { id, now, make }: Change): Promise<StoreRecord> {
  for (let tries = 1; ; tries++) {
    const current = await store.get(at);
    try {
      await store.propose(at, { id, over: current?.version ?? 0, value: make(current), now });
      return await store.commit(at, id, now);
    } catch (error) {
      if (!isConflict(error) || tries >= TRIES) throw error;
      await store.drop(at, id); // what was made from an older version must not stand in the way of the next try
    }
  }
}

/** What the change of this name made of the record, if it was made. One that was left half way is made now. */
export async function changeMade(
  store: Store,
  at: RecordKey,
  { id, now }: Pick<Change, 'id' | 'now'>,
): Promise<StoreRecord | undefined> {
  try {
    return await store.commit(at, id, now);
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

export function isConflict(error: unknown): boolean {
  return error instanceof FlyballError && error.code === 'RECORD_CONFLICT';
}
