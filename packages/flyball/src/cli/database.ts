import { existsSync } from 'node:fs';
import { sqliteEngine } from '../adapters/engine-sqlite/engine.js';
import { ConfigError } from '../core/errors.js';
import { isAddress, withoutPassword } from './database-address.js';
import type { DatabaseEngine, EngineUse } from './database-engine.js';
import { isStoredAt, openerFor } from './engine-packages.js';
import type { Place } from './place.js';

type Where = Pick<Place, 'database' | 'address'>;

/** A file by ourselves; a server by the package that is installed for its kind. */
export async function openDatabase({ database, address }: Where, use: EngineUse = {}): Promise<DatabaseEngine> {
  if (address === undefined) return sqliteEngine({ path: database });
  const open = await openerFor(address);
  return open(address, use);
}

/** Whether it can be opened without being made on the way. */
export async function isThere({ database, address }: Where): Promise<boolean> {
  return address === undefined ? existsSync(database) : isStoredAt(address);
}

/** What is missing where `isThere` says no. A server's database itself is there, or opening it would have failed. */
export function whatIsMissing({ database, address }: Where): string {
  if (address === undefined) return `${database} does not exist`;
  return `${database} has no Flyball tables yet. They are created when the first run or server uses it`;
}

/** For what only a database in a file has. */
export function databaseFile({ database, address }: Where, command: keyof typeof ON_A_SERVER): string {
  if (address === undefined) return database;
  throw new ConfigError(
    `flyball ${command} works on database files, and ${database} is on a server. ${ON_A_SERVER[command]}`,
  );
}

/** What does the same there. */
const ON_A_SERVER = {
  backup: 'To back it up, use pg_dump or pg_basebackup.',
  restore: 'To restore a backup that pg_dump made, use pg_restore or psql.',
  check:
    'Flyball verifies each row when it reads it, and a run with a damaged row is stalled: flyball runs --status stalled. To read all pages of a server with data checksums, use pg_dump.',
  'prune --vacuum': 'PostgreSQL frees space itself: run prune without --vacuum.',
} as const;

/** A database as it was written down, which is without its password: the server may know us by other means. */
export function recordedPlace({ database }: Pick<Place, 'database'>): Where {
  return isAddress(database) ? { database: withoutPassword(database), address: database } : { database };
}
