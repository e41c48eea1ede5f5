import { join } from 'node:path';
import { type PostgresEngine, postgresEngine } from '@flyball/postgres';
import type { Engine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { openBare } from './bare-driver.js';
import { connectBare } from './bare-postgres.js';

/** One database, as a word that can be passed to another process: a file of SQLite, or a schema of PostgreSQL. */
export type Place = string;

let places = 0;

export function placeIn(folder: string): Place {
  places += 1;
  return join(folder, `runs-${places}.db`);
}

export function placeOn(url: string): Place {
  places += 1;
  return `${url}#bench_${process.pid}_${places}`;
}

const isServer = (place: Place): boolean => place.startsWith('postgres');

export function openPlace(place: Place): Promise<Engine | PostgresEngine> {
  if (!isServer(place)) return sqliteEngine({ path: place });
  const [url = '', schema = ''] = place.split('#');
  return postgresEngine({ url, schema, onNotice: () => undefined });
}

/** Statements of somebody who administers it. `s.` stands before the name of a table. */
export async function administer(place: Place, ...texts: readonly string[]): Promise<void> {
  if (!isServer(place)) {
    const driver = openBare(place);
    for (const text of texts) driver.exec(text.replaceAll('s.', ''));
    driver.close();
    return;
  }
  const [url = '', schema = ''] = place.split('#');
  const client = await connectBare(url);
  for (const text of texts) await client.query(text.replaceAll('s.', `${schema}.`));
  await client.end();
}

export function removePlace(place: Place): Promise<void> {
  return isServer(place) ? administer(place, `DROP SCHEMA ${place.split('#')[1]} CASCADE`) : Promise.resolve();
}
