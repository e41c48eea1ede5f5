/**
 * Versioned records that outlive runs. A change is proposed, then committed or dropped; reads never return a
 * proposal. Every call names its owner and cannot see records of other owners.
 */
export interface Store {
  /** The committed record, or undefined when absent or erased. */
  get(at: RecordKey): Promise<StoreRecord | undefined>;
  /** Committed records of a collection in key order. */
  query(query: StoreQuery): Promise<StorePage>;
  /**
   * Writes a proposal over version `over` (0 for a new record). Rejects with RECORD_CONFLICT when the committed
   * version is another one. A later proposal with the same id replaces nothing: it answers the first one's version.
   * An erased record counts as new (0), so whoever read it before cannot write it back; its versions go on from there.
   */
  propose(
    at: RecordKey,
    change: { readonly id: string; readonly over: number; readonly value: unknown; readonly now: number },
  ): Promise<{ readonly version: number }>;
  /** Makes a proposal the committed record. Committing twice is the same as once. RECORD_CONFLICT when overtaken, dropped or erased. */
  commit(at: RecordKey, proposal: string, now: number): Promise<StoreRecord>;
  /** Drops a proposal that was not committed. Does nothing if it is committed or unknown. */
  drop(at: RecordKey, proposal: string): Promise<void>;
  /** Removes the contents of all versions and proposals; the key keeps a tombstone with the version. */
  erase(at: RecordKey, now: number): Promise<void>;
  /** All committed versions, oldest first; erased ones have no value. */
  history(at: RecordKey): Promise<readonly StoreRecord[]>;
}

/** The address of a record in a store. */
export interface RecordKey {
  readonly tenant: string;
  /** Whose record it is: a subject, or a shared name inside the tenant. */
  readonly owner: string;
  readonly collection: string;
  readonly key: string;
}

/** A record of a store. */
export interface StoreRecord {
  readonly key: string;
  readonly version: number;
  readonly value: unknown;
  readonly at: number;
  readonly erased?: boolean;
}

/** Which records of a store to list. */
export interface StoreQuery {
  readonly tenant: string;
  readonly owner: string;
  readonly collection: string;
  readonly prefix?: string;
  /** Top-level fields that must equal these values. */
  readonly where?: Readonly<Record<string, string | number | boolean | null>>;
  readonly limit?: number;
  readonly cursor?: string;
}
/** A page of records of a store. */
export interface StorePage {
  readonly records: readonly StoreRecord[];
  readonly cursor?: string;
}
