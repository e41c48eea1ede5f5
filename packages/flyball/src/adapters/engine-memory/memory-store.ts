import { canonicalJson } from '../../core/canonical.js';
import { proposalUnknown, recordOvertaken } from '../../core/engine-errors.js';
import { hasFields } from '../../core/record-fields.js';
import type { RecordKey, Store, StoreRecord } from '../../ports/store.js';

/**
 * A store in the memory of this process. Values are stored as text, so changing a returned value does not change the
 * record.
 */
export function memoryStore(): Store {
  const records = new Records();

  return {
    async get(at) {
      return current(at.key, records.find(at));
    },

    async query(query) {
      const { limit = 100 } = query;
      const found: StoreRecord[] = [];
      const collection = records.collection(query);
      for (const key of [...collection.keys()].sort(byBytes)) {
        if (query.cursor !== undefined && byBytes(key, query.cursor) <= 0) continue;
        const record = current(key, collection.get(key));
        if (record === undefined || !key.startsWith(query.prefix ?? '') || !hasFields(record.value, query.where ?? {}))
          continue;
        if (found.length === limit) return { records: found, cursor: found.at(-1)?.key ?? '' };
        found.push(record);
      }
      return { records: found };
    },

    async propose(at, { id, over, value, now }) {
      const kept = records.at(at);
      const earlier = kept.versions.find((version) => version.proposal === id) ?? kept.proposals.get(id);
      if (earlier !== undefined) return { version: earlier.version };
      const text = canonicalJson(value);
      if (over !== versionOf(kept)) throw recordOvertaken(at, over, versionOf(kept));
      const version = kept.versions.length + 1;
      kept.proposals.set(id, { proposal: id, version, text, at: now });
      return { version };
    },

    async commit(at, proposal, now) {
      const kept = records.at(at);
      const committed = kept.versions.find((version) => version.proposal === proposal);
      if (committed !== undefined) return recordOf(at.key, committed);
      const proposed = kept.proposals.get(proposal);
      if (proposed === undefined) throw proposalUnknown(at, proposal);
      if (proposed.version !== kept.versions.length + 1)
        throw recordOvertaken(at, proposed.version - 1, versionOf(kept));
      const version = { ...proposed, at: now };
      kept.proposals.delete(proposal);
      kept.versions.push(version);
      return recordOf(at.key, version);
    },

    async drop(at, proposal) {
      records.find(at)?.proposals.delete(proposal);
    },

    async erase(at) {
      const kept = records.find(at);
      if (kept === undefined) return;
      kept.versions = kept.versions.map((version) => ({ ...version, text: undefined }));
      kept.proposals.clear();
    },

    async history(at) {
      return (records.find(at)?.versions ?? []).map((version) => recordOf(at.key, version));
    },
  };
}

class Records {
  private readonly collections = new Map<string, Map<string, Kept>>();

  collection({ tenant, owner, collection }: Omit<RecordKey, 'key'>): Map<string, Kept> {
    const name = JSON.stringify([tenant, owner, collection]); // joined text could be made to meet another owner's
    const found = this.collections.get(name) ?? new Map<string, Kept>();
    this.collections.set(name, found);
    return found;
  }

  find(at: RecordKey): Kept | undefined {
    return this.collection(at).get(at.key);
  }

  at(at: RecordKey): Kept {
    const found = this.find(at) ?? { versions: [], proposals: new Map() };
    this.collection(at).set(at.key, found);
    return found;
  }
}

interface Version {
  readonly proposal: string;
  readonly version: number;
  /** The value as JSON; undefined once erased. */
  readonly text: string | undefined;
  readonly at: number;
}

interface Kept {
  /** Committed, oldest first: version n stands at n - 1. */
  versions: Version[];
  readonly proposals: Map<string, Version>;
}

/** The version a proposal has to name: an erased record is absent, so it is 0 again. */
function versionOf(kept: Kept): number {
  const last = kept.versions.at(-1);
  return last?.text === undefined ? 0 : last.version;
}

function current(key: string, kept: Kept | undefined): StoreRecord | undefined {
  const last = kept?.versions.at(-1);
  return last?.text === undefined ? undefined : recordOf(key, last);
}

function recordOf(key: string, { version, text, at }: Version): StoreRecord {
  if (text === undefined) return { key, version, value: undefined, at, erased: true };
  return { key, version, value: JSON.parse(text) as unknown, at };
}

/** The order of the bytes in UTF-8, which is also the order a database keeps. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
