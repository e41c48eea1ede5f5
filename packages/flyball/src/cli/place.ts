import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '../core/errors.js';
import { type CommandLine, commandLineFor } from './command-line.js';
import { isAddress, refuseSlips, withoutPassword } from './database-address.js';
import { refuseEmpty } from './refuse-empty.js';

export const DEFAULT_DATABASE = join('.flyball', 'flyball.db');

/** Where a command finds its runs, before anything is opened. */
export interface Place {
  /** As it is shown: the absolute path of a file, or the address of a server without its password. */
  readonly database: string;
  /** The whole address, where the database is on a server. */
  readonly address?: string;
  readonly command: CommandLine;
}

/** The files of the database: an agent that wrote them would write its own journal. */
export function filesOf({ database, address }: Pick<Place, 'database' | 'address'>): readonly string[] {
  if (address !== undefined) return [];
  return [database, ...['-wal', '-shm', '-journal'].map((end) => `${database}${end}`)];
}

type Environment = Readonly<Record<string, string | undefined>>;

export function placeOf(option: string | undefined, env: Environment): Place {
  if (option !== undefined) refuseEmpty('--db', option);
  const named = option ?? (env['FLYBALL_DB'] || DEFAULT_DATABASE);
  refuseSlips(named);
  if (!isAddress(named)) return { database: resolve(named), command: commandLineFor(option) };
  const command = commandLineFor(option === undefined ? undefined : withoutPassword(option));
  return { database: withoutPassword(named), address: named, command };
}

/** For telling what went wrong, which may be the place itself: then none of it is shown. */
export function shownPlace(env: Environment): Pick<Place, 'command'> & { readonly database?: string } {
  try {
    return placeOf(undefined, env);
  } catch {
    return { command: commandLineFor(undefined) };
  }
}

/** As every command finds it: --db, then FLYBALL_DB, then `db` in the file of FLYBALL_CONFIG, which a service may go by. */
export async function placeFor(option: string | undefined, env: Environment): Promise<Place> {
  const file = env['FLYBALL_CONFIG'] ?? '';
  if (option !== undefined || (env['FLYBALL_DB'] ?? '') !== '' || file === '') return placeOf(option, env);
  return placeOf(option, { FLYBALL_DB: await databaseIn(file) });
}

/** What else the file sets is the server's: whoever makes a backup need not be able to read the server's keys. */
async function databaseIn(file: string): Promise<string | undefined> {
  const { readYaml } = await import('../adapters/definitions/yaml-source.js'); // only then: few commands read YAML
  const { value, at } = await readYaml(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${file} contains no settings. Write one per line, such as db: flyball.db`);
  const { db } = value as { readonly db?: unknown };
  if (db === undefined || (typeof db === 'string' && db !== '')) return db;
  throw new ConfigError(`db in ${at(['db'])} is not the path of a database. Write db: flyball.db, for example.`);
}

/** Who gives this command, for the journal. */
export function whoAmI(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`; // a container may run under a user id that has no name
  }
}
