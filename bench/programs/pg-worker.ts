/** One of several processes on one database: pg-worker.js append|drain|hold <url> <schema> <name> [runs] [appends]. */
import { setTimeout as pause } from 'node:timers/promises';
import { postgresEngine } from '@flyball/postgres';
import { createRuntime, done } from 'flyball';
import { appendLoad } from '../measure/append-load.js';
import { drainLine } from '../measure/drain-load.js';
import { quantile } from '../measure/figures.js';

const [what, url = '', schema = '', name = '', runs = '64', appends = '100'] = process.argv.slice(2);
const engine = await postgresEngine({ url, schema, onNotice: () => undefined });
if (what === 'append') {
  const { records, ms, latencies } = await appendLoad(engine, Number(runs), Number(appends), name);
  console.log(JSON.stringify({ records, ms, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }));
  await engine.close();
} else if (what === 'drain') {
  const began = Date.now();
  const drained = await drainLine(engine, name);
  console.log(JSON.stringify({ ...drained, began, ended: Date.now() }));
  await engine.close();
} else {
  // holds a run until it is killed; `runs` is the lease
  const body = async () => {
    process.stdout.write('holding\n');
    await pause(3_600_000);
  };
  createRuntime({
    engine,
    agents: { held: async (run) => done(await run.step('wait', null, body, 'idempotent')) },
    onProblem: () => undefined,
    options: { leaseMs: Number(runs), pollMs: 50 },
  });
}
