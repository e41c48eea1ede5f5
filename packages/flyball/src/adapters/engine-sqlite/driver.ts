import type { Database, DriverName } from './database.js';
import { openLibsql } from './libsql-driver.js';
import { nodeSqlite, openNodeSqlite } from './node-sqlite-driver.js';

/** Opens the file with the driver asked for, or with the one that this Node brings, or with libsql. */
export async function openDatabase(
  path: string,
  driver?: DriverName,
  how: { readonly readOnly: boolean } = { readOnly: false },
): Promise<Database> {
  const wanted = driver ?? (nodeSqlite() === undefined ? 'libsql' : 'node:sqlite');
  return wanted === 'libsql' ? openLibsql(path, how) : openNodeSqlite(path, how);
}
