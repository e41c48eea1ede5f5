/**
 * Where runs go that a database is not to keep any longer: a folder, a bucket. Keys are paths of printable ASCII, with `/`
 * between their parts. What is put is durable when `put` resolves, and replaces what was there under the same key.
 */
export interface ArchiveStore {
  /** For people, without credentials. */
  readonly place: string;
  put(key: string, content: Uint8Array): Promise<void>;
  /** Undefined where there is nothing under this key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keys that begin so, in order. */
  list(prefix: string): AsyncIterable<string>;
}
