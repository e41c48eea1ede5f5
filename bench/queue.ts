/** A line of due runs of a large and a small tenant, taken and given back by 1, 2 and 4 workers, on SQLite and PostgreSQL. */
import { join } from 'node:path';
import { postgresEngine } from '@flyball/postgres';
import type { Engine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { figure } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { heading, table } from './measure/report.js';

const RUNS = Number(process.argv[2] ?? 5_000);
const SMALL = Math.max(1, Math.round(RUNS / 1_000));
const BITE = 25;

async function fill(engine: Engine): Promise<void> {
  const run = (id: string, tenant: string) => {
    const entry = { generation: 0, seq: 0, at: Date.now(), activeMs: 0, body: '{"type":"note"}' };
    const who = { agent: 'agent', version: '1', tenant, subject: 'bench' };
    return engine.create({ id, ...who, createdAt: Date.now(), first: { entries: [entry] } });
  };
  for (let n = 0; n < RUNS; n += 100)
    await Promise.all(Array.from({ length: Math.min(100, RUNS - n) }, (_, m) => run(`large-${n + m}`, 'large')));
  for (let n = 0; n < SMALL; n++) await run(`small-${n}`, 'small');
}

/** Each engine stands for a worker. Answers how long it took, and how much was taken before the small tenant had had its turns. */
async function drain(engines: readonly Engine[]) {
  let [taken, small, smallAt] = [0, 0, 0];
  const began = performance.now();
  await Promise.all(
    engines.map(async (engine, n) => {
      const owner = { id: `w${n}`, host: 'bench', bootId: 'b', pid: n, startTime: String(n) };
      for (let after: string | undefined; ; ) {
        const query = { now: Date.now(), limit: BITE, agents: ['agent'], isGone: () => false };
        const claims = await engine.take(
          { ...query, ...(after === undefined ? {} : { after }) },
          { owner, leaseMs: 60_000 },
        );
        if (claims.length === 0) return;
        for (const { record } of claims) {
          taken += 1;
          if (record.tenant === 'small' && ++small === SMALL) smallAt = taken;
        }
        after = claims.at(-1)?.record.tenant;
        await Promise.all(claims.map((claim) => engine.release(claim, { status: 'done', now: Date.now() })));
      }
    }),
  );
  if (taken !== RUNS + SMALL) throw new Error(`${taken} of ${RUNS + SMALL} runs were taken.`);
  return { perSecond: (taken / (performance.now() - began)) * 1_000, smallAt };
}

async function measure(workers: number, open: () => Promise<Engine>) {
  const engines = [];
  for (let n = 0; n < workers; n++) engines.push(await open());
  const [first] = engines;
  if (first !== undefined) await fill(first);
  const drained = await drain(engines);
  for (const engine of engines) await engine.close();
  return drained;
}

const url = process.env['FLYBALL_POSTGRES_URL'];
const rows: (readonly string[])[] = [];
for (const workers of [1, 2, 4]) {
  const onFile = await inFolder((folder) => measure(workers, () => sqliteEngine({ path: join(folder, 'runs.db') })));
  rows.push(['SQLite', String(workers), figure(onFile.perSecond), String(onFile.smallAt)]);
  if (url === undefined) continue;
  const schema = `bench_${process.pid}_${workers}`;
  const onServer = await measure(workers, () => postgresEngine({ url, schema, onNotice: () => undefined }));
  rows.push(['PostgreSQL', String(workers), figure(onServer.perSecond), String(onServer.smallAt)]);
}
heading(`${RUNS} runs of a large tenant and ${SMALL} of a small one, in line`, [
  'Taken in bites of 25, and given back as done. Workers share one process, so they share a core.',
  ...(url === undefined ? ['Set FLYBALL_POSTGRES_URL to measure PostgreSQL too.'] : []),
]);
table(['Database', 'Workers', 'runs/s', 'taken when the small tenant had its last turn'], rows);
