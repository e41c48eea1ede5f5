import type { Database, DriverName } from './database.js';
import { openDatabase } from './driver.js';
import { asBytes, text } from './row.js';
import { MIGRATIONS, migrate } from './schema.js';

/**
 * Tables and indexes whose text is not what this version of the schema makes. SQLite takes a changed name or condition
 * for what was meant, and its own check finds nothing wrong with it.
 */
export async function changedDefinitions(
  database: Database,
  { version, driver }: { readonly version: number; readonly driver: DriverName },
): Promise<readonly string[]> {
  const fresh = await openDatabase(':memory:', driver);
  try {
    migrate(fresh, ':memory:', MIGRATIONS.slice(0, version));
    const [expected, found] = [definitionsIn(fresh), definitionsIn(database)];
    return [...new Set([...expected.keys(), ...found.keys()])]
      .filter((name) => expected.get(name) !== found.get(name))
      .map((name) => `${name} is not defined as it was made`);
  } finally {
    fresh.close();
  }
}

function definitionsIn(database: Database): ReadonlyMap<string, string> {
  const rows = database.all(
    `SELECT ${asBytes('type', 'name', 'tbl_name', 'sql')} FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_stat%'`,
  );
  return new Map(
    rows.map((row) => [
      `The ${text(row, 'type')} ${text(row, 'name')}`,
      `${text(row, 'tbl_name')}: ${text(row, 'sql')}`,
    ]),
  );
}
