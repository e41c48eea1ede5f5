// shows: R10-SHOW-CAPACITY
/** What whole runs cost a worker and the database, and what that comes to at 10,000 to a million runs a day. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRuntime, done, type Engine } from 'flyball';
import { figure, sum } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { openPlace, type Place, placeIn, placeOn, removePlace } from './measure/places.js';
import { heading, table } from './measure/report.js';
import { type ServerUse, serverUse } from './measure/server-use.js';
import { wideBudget } from './measure/wide-budget.js';

const PROGRAM = fileURLToPath(new URL('./programs/capacity-worker.js', import.meta.url));
const RUNS = Number(process.argv[2] ?? 2_000);
const TOOL_CALLS = 4;
const url = process.env['FLYBALL_POSTGRES_URL'];
const isOpen = (status: string): boolean => ['pending', 'running', 'suspended', 'paused'].includes(status);

interface Used {
  readonly cpuMs: number;
  readonly idle: number;
  readonly most: number;
}

interface Measured {
  readonly perSecond: number;
  readonly workerMs: number;
  readonly starterMs: number;
  readonly databaseMs: number;
  readonly commits: number;
  readonly records: number;
  readonly bytes: number;
  readonly walBytes: number;
  readonly bytesAtWork: number;
}

async function untilDone(engine: Engine, runs: number): Promise<void> {
  for (;;) {
    const { byStatus } = await engine.count();
    const open = sum(Object.entries(byStatus).map(([status, count]) => (isOpen(status) ? count : 0)));
    if (open === 0) {
      const { status, code } = (await engine.get(`run-${runs - 1}`)) ?? {};
      if (status !== 'done') throw new Error(`The last run is ${status} ${code ?? ''}.`);
      return;
    }
    await pause(100);
  }
}

/** Starts runs in this process, has one worker do them, and says what that cost each of the two and the database. */
async function measure(place: Place, runs: number, how: { readonly modelMs: number; readonly concurrency: number }) {
  const engine = await openPlace(place);
  const empty = (await engine.size()).bytes;
  const args = [PROGRAM, place, TOOL_CALLS, how.modelMs, how.concurrency].map(String);
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child.stderr, 'data');
  child.stderr.pipe(process.stderr);
  const desk = createRuntime({
    engine,
    agents: { desk: async () => done(null) },
    options: { worker: 'elsewhere' },
  });
  const none: ServerUse = { cpuMs: 0, walBytes: 0, commits: 0 };
  const use = () => (place.startsWith('postgres') ? serverUse(place) : Promise.resolve(none));
  const before = await use();
  const own = process.cpuUsage();
  const began = performance.now();
  for (let n = 0; n < runs; n += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, runs - n) }, (_, m) =>
        desk.start('desk', `What about order ${n + m}?`, { id: `run-${n + m}`, budget: wideBudget }),
      ),
    );
  const starter = process.cpuUsage(own);
  await untilDone(engine, runs);
  const ms = performance.now() - began;
  const after = await use();
  const records = (await engine.read('run-0', { generation: 0 })).length;
  const { bytes, logBytes } = await engine.size();
  await desk.close();
  await engine.close();
  child.stdin.end();
  await once(child, 'close');
  const { cpuMs, idle, most } = JSON.parse(said) as Used;
  await removePlace(place);
  const found: Measured = {
    perSecond: (runs / ms) * 1_000,
    workerMs: cpuMs / runs,
    starterMs: (starter.user + starter.system) / 1_000 / runs,
    databaseMs: (after.cpuMs - before.cpuMs) / runs,
    commits: (after.commits - before.commits) / runs,
    records,
    bytes: (bytes - empty + (place.startsWith('postgres') ? 0 : logBytes)) / runs,
    walBytes: (after.walBytes - before.walBytes) / runs,
    bytesAtWork: (most - idle) / runs,
  };
  return found;
}

function sizing(found: Measured, bytesAtWork: number): void {
  const [PEAK, AT_WORK_S, BUSY] = [3, 60, 0.5];
  const rows = [10_000, 100_000, 1_000_000].map((perDay) => {
    const peak = (perDay / 86_400) * PEAK;
    const atOnce = peak * AT_WORK_S;
    const cores = (ms: number): string => figure((peak * ms) / 1_000 / BUSY);
    return [
      perDay.toLocaleString('en-US'),
      figure(peak),
      figure(atOnce),
      cores(found.workerMs + found.starterMs),
      figure((atOnce * bytesAtWork) / 1e6),
      cores(found.databaseMs),
      figure((peak * found.walBytes) / 1e6),
      figure((perDay * found.bytes) / 1e9),
    ];
  });
  console.log(
    `  Extrapolated from that, for peaks of ${PEAK} times the average, runs that are at work for ${AT_WORK_S} s, and cores that are half busy:`,
  );
  table(
    [
      'runs a day',
      'runs/s at peak',
      'at work at once',
      'cores of workers and servers',
      'memory for runs, MB',
      'cores of PostgreSQL',
      'WAL, MB/s',
      'journals, GB a day',
    ],
    rows,
  );
}

heading('Whole runs', [
  `${RUNS.toLocaleString('en-US')} runs of ${TOOL_CALLS + 1} model calls that are answered at once and ${TOOL_CALLS} tool calls, started by one process and done by one worker.`,
]);
await inFolder(async (folder) => {
  const places = [
    ['SQLite', () => placeIn(folder)],
    ...(url === undefined ? [] : [['PostgreSQL', () => placeOn(url)] as const]),
  ] as readonly (readonly [string, () => Place])[];
  const rows: (string | number)[][] = [];
  for (const [name, place] of places) {
    const found = await measure(place(), RUNS, { modelMs: 0, concurrency: 64 });
    const waiting = await measure(place(), 1_000, { modelMs: 3_000, concurrency: 1_000 });
    rows.push([
      name,
      figure(found.perSecond),
      figure(found.workerMs),
      figure(found.starterMs),
      figure(found.databaseMs),
      figure(found.commits),
      found.records,
      figure(found.bytes / 1_000),
      figure(found.walBytes / 1_000),
      figure(waiting.bytesAtWork / 1_000),
    ]);
    if (name === 'PostgreSQL') sizing(found, waiting.bytesAtWork);
  }
  console.log(`  Processor time, and what is left behind, a run. Load of the machine: ${loadavg()[0]?.toFixed(1)}.`);
  table(
    [
      '',
      'runs/s',
      'worker ms',
      'starter ms',
      'database ms',
      'commits',
      'records',
      'stored KB',
      'WAL KB',
      'memory at work KB',
    ],
    rows,
  );
  if (url === undefined)
    console.log('  Set FLYBALL_POSTGRES_URL for PostgreSQL (on this machine) and for the table of sizes.\n');
});
