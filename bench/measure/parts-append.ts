import { type Appended, appendLoad, bareLoad } from './append-load.js';
import { openBare } from './bare-driver.js';
import { connectBare } from './bare-postgres.js';
import { ask } from './child.js';
import { figure, median, quantile, sum } from './figures.js';
import { openPlace, type Place, placeIn, placeOn, removePlace } from './places.js';
import { table } from './report.js';

export interface Bench {
  readonly url: string;
  readonly folder: string;
  /** Smaller numbers for a try. */
  count(number: number): number;
  say(text: string): void;
}

const worker = new URL('../programs/pg-worker.js', import.meta.url);
const ROUNDS = 3;
/** Until the last of several processes has begun. */
export const START_MS = 5_000;

async function onEngine(place: Place, runs: number, appends: number): Promise<Appended> {
  const engine = await openPlace(place);
  const found = await appendLoad(engine, runs, appends);
  await engine.close();
  await removePlace(place);
  return found;
}

async function barePostgres(place: Place, runs: number, appends: number): Promise<Appended> {
  const [url = '', schema = ''] = place.split('#');
  const client = await connectBare(url);
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(`CREATE TABLE ${schema}.events (run text, seq bigint, body text, PRIMARY KEY (run, seq))`);
  const text = `INSERT INTO ${schema}.events SELECT * FROM unnest($1::text[], $2::int8[], $3::text[])`;
  const found = await bareLoad(
    async (rows) => {
      const columns = [rows.map(([run]) => run), rows.map(([, seq]) => seq), rows.map(([, , body]) => body)];
      await client.query({ name: 'write', text, values: columns });
    },
    runs,
    appends,
  );
  await client.end();
  await removePlace(place);
  return found;
}

function bareSqlite(path: Place, runs: number, appends: number): Promise<Appended> {
  const driver = openBare(path);
  driver.exec('PRAGMA journal_mode = WAL');
  driver.exec('PRAGMA synchronous = FULL');
  driver.exec('CREATE TABLE events (run TEXT, seq INTEGER, body TEXT, PRIMARY KEY (run, seq))');
  const insert = driver.statement('INSERT INTO events VALUES (?, ?, ?)');
  return bareLoad(
    (rows) => {
      driver.exec('BEGIN IMMEDIATE');
      for (const each of rows) insert(each);
      driver.exec('COMMIT');
    },
    runs,
    appends,
  ).finally(() => driver.close());
}

/** Records a second and latency for 1, 64 and 256 runs, by turns, so that a busy moment of the machine hits all alike. */
export async function appendPart({ url, folder, count, say }: Bench): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const runs of [1, 64, 256]) {
    const appends = count(runs === 1 ? 1_000 : 12_000 / runs);
    const contestants = {
      SQLite: () => onEngine(placeIn(folder), runs, appends),
      'SQLite, bare driver': () => bareSqlite(placeIn(folder), runs, appends),
      PostgreSQL: () => onEngine(placeOn(url), runs, appends),
      'PostgreSQL, bare driver': () => barePostgres(placeOn(url), runs, appends),
    };
    const found = new Map<string, Appended[]>();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, work] of Object.entries(contestants))
        found.set(name, [...(found.get(name) ?? []), await work()]);
    const rate = ({ records, ms }: Appended): number => (records / ms) * 1_000;
    const best = (name: string): number => Math.max(...(found.get(name) ?? []).map(rate));
    for (const [name, rounds] of found) {
      const bare = best(`${name.replace(', bare driver', '')}, bare driver`);
      const at = (share: number): string => figure(median(rounds.map(({ latencies }) => quantile(latencies, share))));
      rows.push([name, runs, figure(best(name)), figure(best(name) / bare), at(0.5), at(0.99)]);
    }
  }
  say(
    'Appends of two records, each run waits for its own. Best of three rounds, taken by turns; latency of the middle one.',
  );
  table(['', 'runs', 'records/s', '× bare driver', 'p50 ms', 'p99 ms'], rows);
}

interface Told {
  readonly records: number;
  readonly ms: number;
  readonly p50: number;
  readonly p99: number;
}

/** 1, 2 and 4 processes on one database. */
export async function workersPart({ url, folder, count, say }: Bench): Promise<void> {
  const rows: (string | number)[][] = [];
  const alone = new Map<string, number>();
  for (const size of [1, 2, 4])
    for (const [name, place] of [
      ['SQLite', placeIn(folder)],
      ['PostgreSQL', placeOn(url)],
    ] as const) {
      await (await openPlace(place)).close();
      const startAt = String(Date.now() + START_MS);
      const work = (n: number) => ask<Told>(worker, ['append', place, `w${n}`, startAt, '64', String(count(100))]);
      const all = await Promise.all(Array.from({ length: size }, (_, n) => work(n)));
      const perSecond = (sum(all.map(({ records }) => records)) / Math.max(...all.map(({ ms }) => ms))) * 1_000;
      if (size === 1) alone.set(name, perSecond);
      const p50 = median(all.map((each) => each.p50));
      const p99 = Math.max(...all.map((each) => each.p99));
      rows.push([name, size, figure(perSecond), figure(perSecond / (alone.get(name) ?? 1)), figure(p50), figure(p99)]);
      await removePlace(place);
    }
  say('Processes on one database, 64 runs each, all of them together.');
  table(['', 'processes', 'records/s', '× one', 'p50 ms', 'p99 ms'], rows);
}
