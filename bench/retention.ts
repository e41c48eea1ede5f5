// shows: R10-SHOW-RETENTION
/** What removing a month of runs costs, from one table and by dropping a partition; and what partitions cost until then. */
import { loadavg } from 'node:os';
import { type PostgresEngine, postgresEngine } from '@flyball/postgres';
import type { Claim } from 'flyball/adapters/engine-kit';
import { BODY } from './measure/append-load.js';
import { type BarePostgres, connectBare } from './measure/bare-postgres.js';
import { figure, median, megabytes, quantile, timed } from './measure/figures.js';
import { heading, table } from './measure/report.js';

const url = process.env['FLYBALL_POSTGRES_URL'] ?? '';
if (url === '') {
  console.error('Set FLYBALL_POSTGRES_URL to a PostgreSQL that may be filled.');
  process.exit(2);
}
const MONTHS = 12;
const RUNS = Number(process.argv[2] ?? 6_000);
const ENTRIES = Number(process.argv[3] ?? 20);
const TIMES = 600;
const ROUNDS = 5;
/** A month. */
const REMOVED = Array.from({ length: RUNS / MONTHS }, (_, n) => `r-1-${n}`);
const client = await connectBare(url);

interface Layout {
  readonly name: string;
  readonly schema: string;
  readonly engine: PostgresEngine;
  readonly claims: readonly Claim[];
  seq: number;
}

async function filled(name: string, isParted: boolean): Promise<Layout> {
  const schema = `bench_${process.pid}_${isParted ? 'months' : 'one'}`;
  const engine = await postgresEngine({ url, schema, onNotice: () => undefined });
  if (!isParted)
    for (const text of [
      `CREATE TABLE ${schema}.one (LIKE ${schema}.events INCLUDING ALL)`,
      `DROP TABLE ${schema}.events`,
      `ALTER TABLE ${schema}.one RENAME TO events`,
    ])
      await client.query(text);
  const { rows } = (await client.query(
    `SELECT pg_get_expr(adbin, adrelid) AS now FROM pg_attrdef WHERE adrelid = '${schema}.runs'::regclass
      AND pg_get_expr(adbin, adrelid) LIKE '%EXTRACT%'`,
  )) as { readonly rows: readonly { readonly now: string }[] };
  for (let month = 1; month <= MONTHS; month += 1) {
    const past = 202_400 + month;
    if (isParted)
      await client.query(`CREATE TABLE ${schema}.events_${past} PARTITION OF ${schema}.events FOR VALUES IN (${past})`);
    await client.query(`ALTER TABLE ${schema}.runs ALTER month SET DEFAULT ${past}`);
    await Promise.all(REMOVED.map((_, n) => create(engine, `r-${month}-${n}`, ENTRIES)));
  }
  await client.query(`ALTER TABLE ${schema}.runs ALTER month SET DEFAULT ${rows[0]?.now}`);
  await client.query(`UPDATE ${schema}.runs SET status = 'done', tip_seq = ${ENTRIES - 1}`);
  const owner = { id: name, host: 'bench', bootId: 'b', pid: 1, startTime: '1' };
  const claims = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => {
      await create(engine, `now-${n}`, 1);
      return engine.claim(`now-${n}`, { owner, now: Date.now(), leaseMs: 3_600_000, isGone: () => false });
    }),
  );
  await client.query(`VACUUM ANALYZE ${schema}.events`);
  await client.query(`VACUUM ANALYZE ${schema}.runs`);
  return { name, schema, engine, claims, seq: 0 };
}

function create(engine: PostgresEngine, id: string, entries: number): Promise<void> {
  const who = { agent: 'agent', version: '1', tenant: 'bench', subject: 'bench' };
  const first = { entries: Array.from({ length: entries }, (_, seq) => entry(seq)) };
  return engine.create({ id, ...who, createdAt: Date.now(), first });
}

const entry = (seq: number) => ({ generation: 0, seq, at: 0, activeMs: 0, body: BODY });

/** Milliseconds of each. */
async function each(times: number, work: (n: number) => Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) took.push(await timed(() => work(n)));
  return took;
}

const appendTo = (layout: Layout, n: number): Promise<void> =>
  layout.engine.append(layout.claims[n] as Claim, { entries: [entry(layout.seq)] });

async function appendsAlone(layout: Layout): Promise<readonly number[]> {
  return each(TIMES / 2, (n) => {
    if (n % 64 === 0) layout.seq += 1;
    return appendTo(layout, n % 64);
  }).finally(() => fillUp(layout));
}

/** All runs are at the same place again. */
async function fillUp(layout: Layout): Promise<void> {
  for (let n = (TIMES / 2) % 64; n < 64; n += 1) await appendTo(layout, n);
}

/** Appends of 64 runs at once: milliseconds of 64. */
async function appendsTogether(layout: Layout): Promise<readonly number[]> {
  return each(TIMES / 10, () => {
    layout.seq += 1;
    return Promise.all(layout.claims.map((_, n) => appendTo(layout, n)));
  });
}

const reads = (layout: Layout): Promise<readonly number[]> =>
  each(TIMES, (n) => layout.engine.read(`r-${(n % MONTHS) + 1}-${n % REMOVED.length}`, { generation: 0 }));

const bytesOf = async ({ schema }: Layout): Promise<number> => {
  const { rows } = (await client.query(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
      WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname LIKE 'events%'`,
  )) as { readonly rows: readonly { readonly bytes: number }[] };
  return rows[0]?.bytes ?? 0;
};

async function logged(work: () => Promise<unknown>): Promise<{ readonly ms: number; readonly log: number }> {
  const at = async (c: BarePostgres): Promise<number> => {
    const { rows } = (await c.query(`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS at`)) as {
      readonly rows: readonly { readonly at: number }[];
    };
    return rows[0]?.at ?? 0;
  };
  const before = await at(client);
  const ms = await timed(work);
  return { ms, log: (await at(client)) - before };
}

interface Removal {
  readonly removed: number[];
  log: number;
}

/** By turns, so that a busy moment of the machine hits all layouts alike. */
async function remove(layouts: readonly Layout[]): Promise<readonly Removal[]> {
  const removals = layouts.map((): Removal => ({ removed: [], log: 0 }));
  const tombstone = { agent: 'agent', tenant: 'bench', createdAt: 0, digests: [], head: '' };
  for (const of of REMOVED)
    for (const [index, { engine }] of layouts.entries()) {
      const found = removals[index] as Removal;
      const operation = { at: 0, by: 'bench', action: 'prune', of } as const;
      const { status = '', updatedAt: endedAt = 0 } = (await engine.get(of)) ?? {};
      const { ms, log } = await logged(() =>
        engine.remove(of, { ...operation, tombstone: { ...tombstone, status, endedAt } }),
      );
      found.removed.push(ms);
      found.log += log;
    }
  return removals;
}

async function afterwards(layout: Layout, { removed, log }: Removal, before: number): Promise<readonly string[]> {
  const { engine, schema } = layout;
  const collected = await logged(() => engine.collect(() => []));
  const idle = await timed(() => engine.collect(() => []));
  const vacuum = await logged(() => client.query(`VACUUM ${schema}.events`));
  return [
    layout.name,
    `${figure(median(removed))} (${figure(quantile(removed, 0.25))})`,
    `${figure(collected.ms)} (${figure(idle)})`,
    figure(vacuum.ms),
    megabytes(log + collected.log + vacuum.log),
    megabytes(before - (await bytesOf(layout))),
  ];
}

const layouts = [await filled('one table', false), await filled('a partition a month', true)];
const kinds = { 'append, one run': appendsAlone, 'append, 64 runs at once': appendsTogether, 'read a run': reads };
const took = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round += 1)
  for (const [kind, measure] of Object.entries(kinds))
    for (const layout of layouts) {
      const key = `${kind} ${layout.name}`;
      const found = await measure(layout);
      if (round > 0) took.set(key, [...(took.get(key) ?? []), ...found]); // statements are prepared in the first
    }
heading(`${RUNS.toLocaleString('en-US')} runs of ${ENTRIES} entries over ${MONTHS} months`, [
  `Milliseconds: the middle, and the best quarter. Load of the machine ${loadavg()[0]?.toFixed(1)}.`,
]);
table(
  ['', ...Object.keys(kinds)],
  layouts.map(({ name }) => [
    name,
    ...Object.keys(kinds).map((kind) => {
      const found = took.get(`${kind} ${name}`) ?? [];
      return `${figure(median(found))} (${figure(quantile(found, 0.25))})`;
    }),
  ]),
);
heading(`Removing a month: ${REMOVED.length.toLocaleString('en-US')} runs`, [
  'Milliseconds: a run; a collection, and one that finds nothing; a vacuum. Bytes in the log of all of it, and those freed.',
]);
const before = await Promise.all(layouts.map(bytesOf));
const removals = await remove(layouts);
const rows = [];
for (const [index, layout] of layouts.entries())
  rows.push(await afterwards(layout, removals[index] as Removal, before[index] ?? 0));
table(['', 'remove a run', 'collect', 'vacuum', 'write-ahead log', 'given back'], rows);
for (const { engine, schema } of layouts) {
  await engine.close();
  await client.query(`DROP SCHEMA ${schema} CASCADE`);
}
await client.end();
