import { FlyballError } from '../../core/errors.js';
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
  const [expected, found] = [await definitionsOf(version, driver), definitionsIn(database)];
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((name) => expected.get(name) !== found.get(name))
    .map((name) => `${name} is not defined as it was made`);
}

/** Refuses a database in which a table or an index of ours reads otherwise: rows would be read for what they are not. */
export async function refuseChangedDefinitions(database: Database, path: string): Promise<void> {
  const [expected, found] = [await definitionsOf(MIGRATIONS.length, database.driver), definitionsIn(database)];
  const changed = [...expected.keys()].find((name) => expected.get(name) !== found.get(name));
  if (changed === undefined) return;
  throw new FlyballError(
    'JOURNAL_CORRUPT',
    `${path} is damaged: ${changed} is not defined as it was made. Restore a backup (\`flyball restore\`).`,
    { detail: { path, definition: changed } },
  );
}

const made = new Map<string, ReadonlyMap<string, string>>();

/** What this version of the schema makes, found out once for each driver. */
async function definitionsOf(version: number, driver: DriverName): Promise<ReadonlyMap<string, string>> {
  const known = made.get(`${driver} ${version}`);
  if (known !== undefined) return known;
  const fresh = await openDatabase(':memory:', driver);
  try {
    migrate(fresh, ':memory:', MIGRATIONS.slice(0, version));
    const found = definitionsIn(fresh);
    made.set(`${driver} ${version}`, found);
    return found;
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
