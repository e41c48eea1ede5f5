/** Records a second, latency, waking, take-over, 100,000 suspended runs and a line of due runs on PostgreSQL, beside SQLite and the bare drivers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PostgresEngine, postgresEngine } from '@flyball/postgres';
import { budget, createRuntime, done, type Host, nodeHost } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type Appended, appendLoad, bareLoad } from './measure/append-load.js';
import { openBare } from './measure/bare-driver.js';
import { connectBare } from './measure/bare-postgres.js';
import { ask } from './measure/child.js';
import { type Drained, fillLine } from './measure/drain-load.js';
import { figure, quantile, sum, timed } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { heading, table } from './measure/report.js';

const url = process.env['FLYBALL_POSTGRES_URL'] ?? '';
if (url === '') {
  console.error('Set FLYBALL_POSTGRES_URL to a PostgreSQL that may be filled: each part makes a schema of its own.');
  process.exit(2);
}
/** Part by part, with smaller numbers for a try: postgres.js [parts] [share]. */
const parts = (process.argv[2] ?? 'append,workers,wake,take-over,suspended,line').split(',');
const share = Number(process.argv[3] ?? 1);
const count = (number: number): number => Math.max(10, Math.round(number * share));
const worker = new URL('./programs/pg-worker.js', import.meta.url);
let schemas = 0;
const fresh = (): string => `bench_${process.pid}_${++schemas}`;
const open = (schema = fresh()): Promise<PostgresEngine> => postgresEngine({ url, schema, onNotice: () => undefined });
const load = (): string => `load of the machine ${loadavg()[0]?.toFixed(1)}`;

heading('PostgreSQL', [
  `Database at ${url.replace(/\/\/.*@/, '//')}, with fsync and synchronous_commit as it is set up. ${load()}.`,
]);

const row = (name: string, runs: number, { records, ms, latencies }: Appended): (string | number)[] => [
  name,
  runs,
  figure((records / ms) * 1_000),
  figure(quantile(latencies, 0.5)),
  figure(quantile(latencies, 0.99)),
];

async function barePostgres(runs: number, appends: number): Promise<Appended> {
  const schema = fresh();
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
  return found;
}

function bareSqlite(path: string, runs: number, appends: number): Promise<Appended> {
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

if (parts.includes('append')) {
  const rows: (string | number)[][] = [];
  for (const runs of [1, 64, 256]) {
    const appends = count(runs === 1 ? 2_000 : 24_000 / runs);
    await inFolder(async (folder) => {
      const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
      rows.push(row('SQLite', runs, await appendLoad(engine, runs, appends)));
      await engine.close();
      rows.push(row('SQLite, bare driver', runs, await bareSqlite(join(folder, 'bare.db'), runs, appends)));
    });
    const engine = await open();
    rows.push(row('PostgreSQL', runs, await appendLoad(engine, runs, appends)));
    await engine.close();
    rows.push(row('PostgreSQL, bare driver', runs, await barePostgres(runs, appends)));
  }
  console.log(`  Appends of two records, each run waits for its own. ${load()}.`);
  table(['', 'runs', 'records/s', 'p50 ms', 'p99 ms'], rows);
}

if (parts.includes('workers')) {
  const rows: (string | number)[][] = [];
  for (const size of [1, 2, 4]) {
    const schema = fresh();
    await (await open(schema)).close();
    const all = await Promise.all(
      Array.from({ length: size }, (_, n) =>
        ask<{ records: number; ms: number; p50: number; p99: number }>(worker, [
          'append',
          url,
          schema,
          `w${n}`,
          '64',
          String(count(200)),
        ]),
      ),
    );
    const slowest = Math.max(...all.map(({ ms }) => ms));
    const p99 = Math.max(...all.map((each) => each.p99));
    rows.push([
      size,
      figure((sum(all.map(({ records }) => records)) / slowest) * 1_000),
      figure(
        quantile(
          all.map(({ p50 }) => p50),
          0.5,
        ),
      ),
      figure(p99),
    ]);
  }
  console.log(`  Processes on one database, 64 runs each, together. ${load()}.`);
  table(['processes', 'records/s', 'p50 ms', 'p99 ms'], rows);
}

if (parts.includes('wake')) {
  const schema = fresh();
  const [here, there] = [await open(schema), await open(schema)];
  const agents = {
    waiter: async (run: { wait(of: { name: string }): Promise<unknown> }) => done(await run.wait({ name: 'go' })),
  };
  const working = createRuntime({ engine: here, agents, options: { suspendAfterMs: 1 } });
  const asking = createRuntime({ engine: there, agents, options: { worker: 'elsewhere' } });
  const latencies: number[] = [];
  for (let n = 0; n < count(200); n += 1) {
    const id = `w${n}`;
    await asking.start('waiter', null, { id, budget: budget() });
    while ((await there.get(id))?.status !== 'suspended') await new Promise((resolve) => setTimeout(resolve, 5));
    const began = performance.now();
    await asking.signal(id, 'go', 1);
    await working.handle(id).finished();
    latencies.push(performance.now() - began);
  }
  await working.close();
  await asking.close();
  await Promise.all([here.close(), there.close()]);
  console.log(`  A suspended run, from the signal on one connection to its end on another. ${load()}.`);
  table(
    ['', 'p50 ms', 'p99 ms'],
    [[`${latencies.length} signals`, figure(quantile(latencies, 0.5)), figure(quantile(latencies, 0.99))]],
  );
}

/** Milliseconds from SIGKILL to the first step that the other process begins. */
async function takeOver(schema: string, leaseMs: number, host: Host): Promise<number> {
  const engine = await open(schema);
  const id = `held-${++schemas}`;
  const asking = createRuntime({ engine, agents: { held: async () => done(null) }, options: { worker: 'elsewhere' } });
  const args = [fileURLToPath(worker), 'hold', url, schema, 'w', String(leaseMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await asking.start('held', null, { id, budget: budget() });
  await once(child.stdout, 'data');
  const other = await open(schema);
  let begun = (): void => undefined;
  const began = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const runtime = createRuntime({
    engine: other,
    host,
    agents: { held: async (run) => done(await run.step('wait', null, () => begun(), 'idempotent')) },
    onProblem: () => undefined,
    options: { leaseMs, pollMs: 100 },
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const ms = await timed(() => {
    child.kill('SIGKILL');
    return began;
  });
  await runtime.close();
  await asking.close();
  await Promise.all([engine.close(), other.close()]);
  return ms;
}

if (parts.includes('take-over')) {
  const rows: (string | number)[][] = [];
  const elsewhere: Host = { ...nodeHost(), isGone: () => false };
  for (const [name, leaseMs, host] of [
    ['same machine, lease of 15 s', 15_000, nodeHost()],
    ['another machine, lease of 2 s', 2_000, elsewhere],
  ] as const) {
    const found: number[] = [];
    for (let n = 0; n < Math.min(20, count(20)); n += 1) found.push(await takeOver(fresh(), leaseMs, host));
    rows.push([name, found.length, figure(quantile(found, 0.5)), figure(Math.max(...found))]);
  }
  console.log(`  From SIGKILL of a worker to the next step in another. ${load()}.`);
  table(['', 'times', 'p50 ms', 'max ms'], rows);
}

if (parts.includes('suspended')) {
  const schema = fresh();
  const engine = await open(schema);
  const many = count(100_000);
  await fillLine(engine, { large: many, small: 0 });
  const admin = await connectBare(url);
  await admin.query(
    `UPDATE ${schema}.runs SET status = 'suspended', waiting = '["go"]', wake_at = CASE WHEN n % 2 = 0 THEN 9e12 END`,
  );
  await admin.query(`VACUUM ANALYZE ${schema}.runs`);
  await admin.end();
  const query = { now: Date.now(), limit: 25, agents: ['agent'], isGone: () => false };
  const by = { owner: { id: 'w', host: 'bench', bootId: 'b', pid: 1, startTime: '1' }, leaseMs: 60_000 };
  const look: number[] = [];
  const next: number[] = [];
  const wake: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    look.push(await timed(() => engine.take(query, by)));
    next.push(await timed(() => engine.nextDue(Date.now())));
    const message = { id: `m${n}`, kind: 'signal', name: 'go', from: 'bench', at: Date.now(), body: '1' } as const;
    wake.push(
      await timed(async () => {
        await engine.post(`large-${n * 7}`, message);
        if ((await engine.take(query, by)).length !== 1) throw new Error('It was not woken.');
      }),
    );
  }
  const { bytes } = await engine.size();
  await engine.close();
  console.log(
    `  ${many.toLocaleString('en-US')} suspended runs, half of them with a date. No process holds anything of them. ${load()}.`,
  );
  const cells = (name: string, found: readonly number[]) => [
    name,
    figure(quantile(found, 0.5)),
    figure(quantile(found, 0.99)),
  ];
  table(
    ['', 'p50 ms', 'p99 ms'],
    [cells('look when nothing is due', look), cells('next date', next), cells('message and claim of one', wake)],
  );
  console.log(`  ${figure(bytes / many)} bytes a run in the database, indexes included.\n`);
}

if (parts.includes('line')) {
  const rows: (string | number)[][] = [];
  const large = count(50_000);
  const small = count(50);
  let alone = 0;
  for (const size of [1, 2, 4]) {
    const schema = fresh();
    const engine = await open(schema);
    await fillLine(engine, { large, small });
    await engine.close();
    const all = await Promise.all(
      Array.from({ length: size }, (_, n) =>
        ask<Drained & { began: number; ended: number }>(worker, ['drain', url, schema, `w${n}`]),
      ),
    );
    const taken = sum(all.map((each) => each.taken));
    if (taken !== large + small) throw new Error(`${taken} of ${large + small} runs were taken.`);
    const perSecond =
      (taken / (Math.max(...all.map((each) => each.ended)) - Math.min(...all.map((each) => each.began)))) * 1_000;
    if (size === 1) alone = perSecond;
    const shares = all.map((each) => each.taken / taken);
    rows.push([
      size,
      figure(perSecond),
      `${figure(perSecond / alone)} ×`,
      `${figure(Math.min(...shares) * size)}–${figure(Math.max(...shares) * size)}`,
      Math.max(...all.map(({ smallAt }) => smallAt)),
    ]);
  }
  console.log(
    `  ${large.toLocaleString('en-US')} due runs of a large tenant, then ${small} of a small one, taken in bites of 25 and given back. ${load()}.`,
  );
  table(
    [
      'processes',
      'runs/s',
      'speed-up',
      'share of each (1 = even)',
      'last of the small tenant at a worker’s run number',
    ],
    rows,
  );
}
