/** Of one archive, packed or not: what is read comes from where others may write too, and has to fit into memory. */
export const MOST_ARCHIVE_BYTES = 256 * 1024 * 1024;
/** Of one listing: whoever asks for it wants to have all of it. */
export const MOST_ARCHIVE_KEYS = 1_000_000;
/** Of all keys of one listing. */
export const MOST_KEY_BYTES = 128 * 1024 * 1024;

/**
 * Where runs go that a database is not to keep any longer: a folder, a bucket. Keys are paths of printable ASCII, with `/`
 * between their parts. What is put is durable when `put` resolves, and replaces what was there under the same key.
 *
 * Others may write there as well. So nothing outside of the place is read or written, whatever it says of itself (links,
 * redirects), and whatever it answers has an end: what is larger or longer than the limits rejects with STORAGE_FAILED.
 */
export interface ArchiveStore {
  /** For people, without credentials. */
  readonly place: string;
  put(key: string, content: Uint8Array): Promise<void>;
  /** Undefined where there is nothing under this key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keys that begin so, in order. Somebody else may have chosen them: they need not be keys of archives. */
  list(prefix: string): AsyncIterable<string>;
}
