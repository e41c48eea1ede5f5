import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriverName } from './database.js';
import { type SqliteEngine, type SqliteOptions, sqliteEngine } from './engine.js';
import { openLibsql } from './libsql-driver.js';
import { nodeSqlite } from './node-sqlite-driver.js';

/** The drivers this Node can run; says which one is left out and why. */
export async function availableDrivers(): Promise<readonly DriverName[]> {
  const found: DriverName[] = [];
  if (nodeSqlite() !== undefined) found.push('node:sqlite');
  else process.stdout.write(`Skipped node:sqlite: Node ${process.versions.node} has none (22.13 and later do).\n`);
  try {
    (await openLibsql(':memory:')).close();
    found.push('libsql');
  } catch (error) {
    process.stdout.write(`Skipped libsql: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  return found;
}

export interface TemporaryFile {
  readonly path: string;
  open(options?: Partial<SqliteOptions>): Promise<SqliteEngine>;
  remove(): void;
}

/** A database file in a directory of its own. */
export function temporaryFile(driver?: DriverName): TemporaryFile {
  const directory = mkdtempSync(join(tmpdir(), 'flyball-sqlite-'));
  const path = join(directory, 'runs.db');
  return {
    path,
    open: (options = {}) => sqliteEngine({ path, ...(driver === undefined ? {} : { driver }), ...options }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
