import type { Engine } from '../ports/engine.js';
import type { Store } from '../ports/store.js';

/** What commands work on: an engine with its records. */
export interface DatabaseEngine extends Engine {
  readonly store: Store;
  /** Empties the log of a database in a file, and with `vacuum` rewrites the file without what is free. */
  compact?(how: { readonly vacuum: boolean }): Promise<void>;
}

/** What a database is opened for. */
export interface EngineUse {
  /** Refuse a user who may only read: a server would fail with everything it does. */
  readonly mustWrite?: boolean;
}

/** Opens the database at an address. What it throws must not show a password. */
export type OpenEngine = (address: string, use?: EngineUse) => Promise<DatabaseEngine>;

/**
 * How a package adds a kind of database, which `--db` and FLYBALL_DB then accept. Its package.json names a module, which
 * exports `engines`:
 *
 *     "flyball": { "engines": "./dist/engines.js" }
 *
 * It is found where packages with commands are.
 */
export interface EnginePackage {
  /** By the scheme of their addresses: `postgres` opens postgres://user@host/name. */
  readonly engines: Readonly<Record<string, OpenEngine>>;
  /**
   * Whether anything was ever stored at an address, by the same schemes. Makes nothing. Without it, commands that only
   * read open the address as any other does.
   */
  readonly stored?: Readonly<Record<string, (address: string) => Promise<boolean>>>;
}
