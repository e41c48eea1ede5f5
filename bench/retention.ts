// shows: R10-SHOW-RETENTION
/** What removing a month of journals costs: run by run from one table, or by dropping a partition; and what partitions cost until then. */
import { loadavg } from 'node:os';
import { BODY } from './measure/append-load.js';
import { connectBare } from './measure/bare-postgres.js';
import { figure, timed } from './measure/figures.js';
import { heading, table } from './measure/report.js';

const url = process.env['FLYBALL_POSTGRES_URL'] ?? '';
if (url === '') {
  console.error('Set FLYBALL_POSTGRES_URL to a PostgreSQL that may be filled.');
  process.exit(2);
}
const MONTHS = 12;
const RUNS = Number(process.argv[2] ?? 12_000);
const ENTRIES = 20;
const schema = `bench_${process.pid}`;
const client = await connectBare(url);
await client.query(`CREATE SCHEMA ${schema}`);

const LAYOUTS = {
  'one table': `CREATE TABLE ${schema}.e (run text COLLATE "C", gen bigint, seq bigint, month int, body text, PRIMARY KEY (run, gen, seq))`,
  'a partition a month': `CREATE TABLE ${schema}.e (run text COLLATE "C", gen bigint, seq bigint, month int, body text, PRIMARY KEY (run, gen, seq, month)) PARTITION BY LIST (month)`,
} as const;

/** As an append writes it: an entry needs the one before it. `knows`: the month is given, so one partition is looked into. */
const appending = (knows: boolean): string => `INSERT INTO ${schema}.e SELECT $1, 0, $2::int8, $3::int,
  CASE WHEN $2::int8 = 0 OR EXISTS (SELECT 1 FROM ${schema}.e WHERE run = $1 AND gen = 0 AND seq = $2::int8 - 1 ${knows ? 'AND month = $3::int' : ''}) THEN $4 END`;

async function measure(name: keyof typeof LAYOUTS): Promise<readonly string[]> {
  const isParted = name !== 'one table';
  await client.query(LAYOUTS[name]);
  if (isParted)
    for (let m = 0; m < MONTHS; m += 1)
      await client.query(`CREATE TABLE ${schema}.e${m} PARTITION OF ${schema}.e FOR VALUES IN (${m})`);
  await client.query(
    `INSERT INTO ${schema}.e SELECT 'r' || r, 0, s, r % ${MONTHS}, $1 FROM generate_series(1, ${RUNS}) r, generate_series(0, ${ENTRIES - 1}) s`,
    [BODY],
  );
  await client.query(`VACUUM ANALYZE ${schema}.e`);
  const times = 2_000;
  const each = async (text: string, values: (n: number) => readonly unknown[]): Promise<string> =>
    figure(
      (await timed(async () => {
        for (let n = 0; n < times; n += 1)
          await client.query({ name: `${name} ${text}`.slice(-60), text, values: values(n) });
      })) / times,
    );
  const append = await each(appending(isParted), (n) => [`r${n + 1}`, ENTRIES, (n + 1) % MONTHS, BODY]);
  const blind = isParted
    ? await each(appending(false), (n) => [`r${n + 1}`, ENTRIES + 1, (n + 1) % MONTHS, BODY])
    : append;
  const read = await each(`SELECT seq, body FROM ${schema}.e WHERE run = $1 AND gen = 0 ORDER BY seq`, (n) => [
    `r${n + 1}`,
  ]);
  const month = await timed(async () => {
    if (isParted) return client.query(`DROP TABLE ${schema}.e0`);
    // run by run, as each of them may be held or needed by a fork
    for (let r = MONTHS; r <= RUNS; r += MONTHS)
      await client.query({ name: 'gone', text: `DELETE FROM ${schema}.e WHERE run = $1`, values: [`r${r}`] });
    return undefined;
  });
  const vacuum = isParted ? 0 : await timed(() => client.query(`VACUUM ${schema}.e`));
  await client.query(`DROP TABLE ${schema}.e`);
  return [name, append, blind, read, `${figure(month)} (${figure((month * MONTHS) / RUNS)} a run)`, figure(vacuum)];
}

const rows = [];
for (const name of Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[]) rows.push(await measure(name));
await client.query(`DROP SCHEMA ${schema} CASCADE`);
await client.end();
heading(`${RUNS.toLocaleString('en-US')} runs of ${ENTRIES} entries over ${MONTHS} months`, [
  `Milliseconds. Load of the machine ${loadavg()[0]?.toFixed(1)}.`,
]);
table(['', 'append', 'append, month unknown', 'read a run by its id', 'remove a month', 'vacuum after it'], rows);
