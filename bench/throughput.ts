// shows: R2-SHOW-THROUGHPUT, R2-SHOW-STALL
/** Durable effects per second beside the bare driver and beside one fdatasync a record, and how long the event loop stalls. */
import { join } from 'node:path';
import { awaitBare, type BareDriver, openBare, readLeft, replayBare, syncEach } from './measure/bare-driver.js';
import { ask } from './measure/child.js';
import { figure, median, percent, sum } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { atLeast, heading, judge, type Target, table } from './measure/report.js';
import { driveSteps, type Load, type Stall } from './measure/steps-load.js';

const ROUNDS = Number(process.argv[2] ?? 5);

/** `least`: the part of the bare driver's rate that it has to reach. */
const LOADS: readonly (Load & { readonly name: string; readonly least?: number })[] = [
  { name: '1 run, idempotent', effect: 'idempotent', runs: 1, effects: 1_500, resultBytes: 8, least: 0.7 },
  { name: '64 runs, idempotent', effect: 'idempotent', runs: 64, effects: 150, resultBytes: 8, least: 0.5 },
  {
    name: '64 runs, idempotent, 1 KB',
    effect: 'idempotent',
    runs: 64,
    effects: 150,
    resultBytes: 1_000,
  },
  { name: '1 run, pure', effect: 'pure', runs: 1, effects: 6_000, resultBytes: 8 },
  { name: '64 runs, pure', effect: 'pure', runs: 64, effects: 200, resultBytes: 8 },
];

interface Round {
  readonly effects: number;
  readonly records: number;
  readonly perCommit: number;
  readonly awaited: number;
  readonly bare: number;
  readonly synced: number;
  readonly stall: Stall;
}

/** One round of everything, so that all three meet the same disk. All figures per second. */
function measure(load: Load): Promise<Round> {
  return inFolder(async (folder) => {
    const path = join(folder, 'runs.db');
    const { ms, commits } = await driveSteps(path, load, { watched: false });
    const { stall } = await driveSteps(join(folder, 'watched.db'), load, { watched: true });
    const left = readLeft(path);
    const records = left.events.length;
    if (sum(commits) !== records) throw new Error(`Counted ${sum(commits)} records, found ${records}.`);
    const awaitedMs = await awaitBare(join(folder, 'awaited.db'), left);
    const bareMs = replayBare(join(folder, 'bare.db'), left, commits);
    const bodies = left.events.slice(0, 300).map((row) => `${row.at(-1)}`);
    const syncMs = syncEach(join(folder, 'synced.jsonl'), bodies);
    return {
      effects: ((load.runs * load.effects) / ms) * 1_000,
      records: (records / ms) * 1_000,
      perCommit: records / commits.filter((entries) => entries > 0).length,
      awaited: (records / awaitedMs) * 1_000,
      bare: (records / bareMs) * 1_000,
      synced: (bodies.length / syncMs) * 1_000,
      stall,
    };
  });
}

const driver: BareDriver = openBare(':memory:');
heading('Durable effects on SQLite', [
  `An idempotent step is two records (INTENT, COMPLETE), a pure one is one. Beside it the bare driver (${driver.name}) writing`,
  'the very rows again into the same tables: by as many writers, each waiting for its commit before it goes on, what one',
  'turn brings in one commit (that is judged); in one loop that waits for nobody; and a plain file, one fdatasync a record.',
  `${ROUNDS} rounds in turn. Rates and the ratio: each side's own best round; in brackets the median of the rounds' ratios.`,
]);
driver.close();

const rates: (string | number)[][] = [];
const stalls: (string | number)[][] = [];
const targets: Target[] = [];
for (const load of LOADS) {
  const found: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await measure(load));
  const best = (of: (round: Round) => number): number => Math.max(...found.map(of));
  // each side at its best: the best single ratio would be the round in which something disturbed the bare driver
  const ratio = best((round) => round.records) / best((round) => round.awaited);
  const middle = median(found.map((round) => round.records / round.awaited));
  rates.push([
    load.name,
    figure(best((round) => round.effects)),
    figure(best((round) => round.records)),
    figure(median(found.map((round) => round.perCommit))),
    figure(best((round) => round.awaited)),
    `${percent(ratio)} (${percent(middle)})`,
    figure(best((round) => round.bare)),
    figure(best((round) => round.synced)),
    `${figure(median(found.map((round) => round.records / round.synced)))} ×`,
  ]);
  stalls.push(
    stallRow(
      load.name,
      found.map((round) => round.stall),
    ),
  );
  if (load.least === undefined) continue;
  targets.push({
    says: `${load.name}: ${percent(ratio)} of the bare driver under the same writers, at least ${percent(load.least)}`,
    met: atLeast(ratio, load.least, 0.1),
  });
}
table(
  [
    '',
    'effects/s',
    'records/s',
    'a commit',
    'bare, awaited/s',
    'of that',
    'bare, one loop/s',
    'fdatasync each/s',
    'of that',
  ],
  rates,
);

const processes = 4;
const together = await inFolder(async (folder) => {
  const path = join(folder, 'runs.db');
  const stepper = new URL('./programs/stepper.js', import.meta.url);
  return Promise.all(
    Array.from({ length: processes }, () =>
      ask<{ ms: number; records: number; commits: number; stall: Stall }>(stepper, [path, '16', '150']),
    ),
  );
});
const slowest = Math.max(...together.map(({ ms }) => ms));
const all = sum(together.map(({ records }) => records));
console.log(
  `  ${processes} processes with 16 runs each on one file: ${figure((all / slowest) * 1_000)} records/s together, ` +
    `${figure(all / sum(together.map(({ commits }) => commits)))} a commit.\n`,
);
stalls.push(
  stallRow(
    `${processes} processes × 16 runs`,
    together.map(({ stall }) => stall),
  ),
);
console.log('  Event-loop stall in ms (gaps between turns; the timer that watches them ticks every 1 ms):');
table(['', 'p50', 'p99', 'max'], stalls);
judge(targets);

/** Medians of the quantiles; of the maxima the worst. */
function stallRow(name: string, found: readonly Stall[]): (string | number)[] {
  const row = [median(found.map(({ p50Ms }) => p50Ms)), median(found.map(({ p99Ms }) => p99Ms))];
  return [name, ...row.map(figure), figure(Math.max(...found.map(({ maxMs }) => maxMs)))];
}
