import { FlyballError } from '../core/errors.js';
import type { RecordKey, Store } from '../ports/store.js';
import { type LearnedSkill, learnedFrom } from './learned-skill.js';

/** Where learned skills are kept: as records of a store, or as folders that other tools read too. */
export interface LearnedSkills {
  /** All of them, whatever their status, in the order of their names. */
  list(): Promise<readonly LearnedSkill[]>;
  get(name: string): Promise<LearnedSkill | undefined>;
  /**
   * Writes the record with revision r over the one with r - 1; 1 makes a new one. Rejects with RECORD_CONFLICT where
   * another was written meanwhile. `id` names the write: the same one made twice is made once.
   */
  put(skill: LearnedSkill, how: { readonly id: string; readonly now: number }): Promise<void>;
}

const COLLECTION = 'learned-skills';
const PAGE = 100;

/** Learned skills in a store, shared by all who name the same owner. */
export function storedSkills(store: Store, of: { readonly tenant: string; readonly owner: string }): LearnedSkills {
  const keyOf = (name: string): RecordKey => ({ ...of, collection: COLLECTION, key: name });
  const get = async (name: string): Promise<LearnedSkill | undefined> => {
    const record = await store.get(keyOf(name));
    return record && learnedFrom(record.value);
  };
  return {
    get,
    list: async () => {
      const found: LearnedSkill[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.query({
          ...of,
          collection: COLLECTION,
          limit: PAGE,
          ...(cursor === undefined ? {} : { cursor }),
        });
        found.push(...page.records.flatMap(({ value }) => learnedFrom(value) ?? []));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return found;
    },
    put: async (skill, { id, now }) => {
      const at = keyOf(skill.name);
      const current = await store.get(at);
      const held = current && learnedFrom(current.value);
      if (held !== undefined && JSON.stringify(held) === JSON.stringify(skill)) return; // this very write, made before
      requireNext(held, skill);
      await store.propose(at, { id, over: current?.version ?? 0, value: skill, now });
      await store.commit(at, id, now);
    },
  };
}

export function requireNext(held: LearnedSkill | undefined, next: LearnedSkill): void {
  const revision = held?.revision ?? 0;
  if (next.revision === revision + 1) return;
  throw new FlyballError(
    'RECORD_CONFLICT',
    `The learned skill ${next.name} is at revision ${revision}, and revision ${next.revision} was to be written. Read it again first.`,
    { retryable: true },
  );
}
