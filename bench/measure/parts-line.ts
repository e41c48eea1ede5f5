import { budget, createRuntime, done, type Engine, type Run } from 'flyball';
import { ask } from './child.js';
import { type Drained, fillLine } from './drain-load.js';
import { figure, quantile, sum, timed } from './figures.js';
import { type Bench, START_MS } from './parts-append.js';
import { administer, openPlace, type Place, placeIn, placeOn, removePlace } from './places.js';
import { table } from './report.js';

const worker = new URL('../programs/pg-worker.js', import.meta.url);
const cells = (name: string, what: string, found: readonly number[]): (string | number)[] => [
  name,
  what,
  figure(quantile(found, 0.5)),
  figure(quantile(found, 0.99)),
];

/** From the signal in one process's engine to the end of a suspended run in another's. */
async function wakings(place: Place, times: number): Promise<readonly number[]> {
  const [here, there] = [await openPlace(place), await openPlace(place)];
  const agents = { waiter: async (run: Run) => done(await run.wait({ name: 'go' })) };
  const working = createRuntime({ engine: here, agents, options: { suspendAfterMs: 1 } });
  const asking = createRuntime({ engine: there, agents, options: { worker: 'elsewhere' } });
  const latencies: number[] = [];
  for (let n = 0; n < times; n += 1) {
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
  await removePlace(place);
  return latencies;
}

export async function wakePart({ url, folder, count, say }: Bench): Promise<void> {
  const times = count(100);
  const rows = [
    cells('SQLite', `${times} signals`, await wakings(placeIn(folder), times)),
    cells('PostgreSQL', `${times} signals`, await wakings(placeOn(url), times)),
  ];
  say('Waking a suspended run: from the signal through one engine to its end through another on the same database.');
  table(['', '', 'p50 ms', 'p99 ms'], rows);
}

const OWNER = { id: 'w', host: 'bench', bootId: 'b', pid: 1, startTime: '1' };

async function amongMany(engine: Engine) {
  const [look, next, wake]: [number[], number[], number[]] = [[], [], []];
  const query = { now: Date.now(), limit: 25, agents: ['agent'], isGone: () => false };
  const by = { owner: OWNER, leaseMs: 600_000 };
  for (let n = 0; n < 100; n += 1) {
    look.push(await timed(() => engine.take(query, by)));
    next.push(await timed(() => engine.nextDue(Date.now())));
    const message = { id: `m${n}`, kind: 'signal', name: 'go', from: 'bench', at: Date.now(), body: '1' } as const;
    wake.push(
      await timed(async () => {
        await engine.post(`large-${n}`, message);
        if ((await engine.take(query, by)).length !== 1) throw new Error('It was not woken.');
      }),
    );
  }
  return { look, next, wake };
}

/** Each is taken and rests, every other with a date that is far off. */
async function suspendAll(engine: Engine): Promise<void> {
  const now = Date.now();
  for (let n = 0; ; ) {
    const claims = await engine.take(
      { now, limit: 500, agents: ['agent'], isGone: () => false },
      { owner: OWNER, leaseMs: 600_000 },
    );
    if (claims.length === 0) return;
    const wakeAt = () => (n++ % 2 === 0 ? { wakeAt: 9e12 } : {});
    await Promise.all(
      claims.map((claim) => engine.release(claim, { status: 'suspended', waiting: ['go'], ...wakeAt(), now })),
    );
  }
}

/** 100,000 suspended runs, half of them with a date. */
export async function suspendedPart({ url, folder, count, say }: Bench): Promise<void> {
  const rows: (string | number)[][] = [];
  const sizes: string[] = [];
  const many = count(100_000);
  for (const [name, place] of [
    ['SQLite', placeIn(folder)],
    ['PostgreSQL', placeOn(url)],
  ] as const) {
    const engine = await openPlace(place);
    const empty = (await engine.size()).bytes;
    await fillLine(engine, { large: many, small: 0 });
    await suspendAll(engine);
    await administer(place, name === 'SQLite' ? 'ANALYZE' : 'VACUUM ANALYZE s.runs');
    const { look, next, wake } = await amongMany(engine);
    const { bytes } = await engine.size();
    await engine.close();
    await removePlace(place);
    sizes.push(`${figure((bytes - empty) / many)} bytes a run on ${name}`);
    rows.push(cells(name, 'look when nothing is due', look), cells(name, 'next date', next));
    rows.push(cells(name, 'message to one, and its claim', wake));
  }
  say(
    `${many.toLocaleString('en-US')} suspended runs: ${sizes.join(', ')}, indexes included, and nothing in any process.`,
  );
  table(['', '', 'p50 ms', 'p99 ms'], rows);
}

async function drained(
  place: Place,
  size: number,
  { large, small }: { readonly large: number; readonly small: number },
) {
  const engine = await openPlace(place);
  await fillLine(engine, { large, small });
  await engine.close();
  const startAt = String(Date.now() + START_MS);
  const work = (n: number) =>
    ask<Drained & { began: number; ended: number }>(worker, ['drain', place, `w${n}`, startAt]);
  const all = await Promise.all(Array.from({ length: size }, (_, n) => work(n)));
  await removePlace(place);
  const taken = sum(all.map((each) => each.taken));
  if (taken !== large + small) throw new Error(`${taken} of ${large + small} runs were taken.`);
  const ms = Math.max(...all.map((each) => each.ended)) - Math.min(...all.map((each) => each.began));
  const shares = all.map((each) => (each.taken / taken) * size);
  return { perSecond: (taken / ms) * 1_000, shares, smallAt: Math.max(...all.map(({ smallAt }) => smallAt)) };
}

/** 50,000 due runs drained by 1, 2 and 4 processes, and when a small tenant behind them had its turns. */
export async function linePart({ url, folder, count, say }: Bench): Promise<void> {
  const rows: (string | number)[][] = [];
  const sizes = { large: count(50_000), small: count(50) };
  const alone = new Map<string, number>();
  for (const size of [1, 2, 4])
    for (const [name, place] of [
      ['SQLite', placeIn(folder)],
      ['PostgreSQL', placeOn(url)],
    ] as const) {
      const { perSecond, shares, smallAt } = await drained(place, size, sizes);
      if (size === 1) alone.set(name, perSecond);
      const spread = `${figure(Math.min(...shares))}–${figure(Math.max(...shares))}`;
      const speedUp = `${figure(perSecond / (alone.get(name) ?? 1))} ×`;
      rows.push([name, size, figure(perSecond), speedUp, spread, smallAt]);
    }
  say(
    `${sizes.large.toLocaleString('en-US')} due runs of a large tenant, then ${sizes.small} of a small one, taken 25 at a time and given back. The last column: how many runs a worker had taken when the small tenant had had all its turns.`,
  );
  table(['', 'processes', 'runs/s', 'speed-up', 'share of each (1 = even)', 'small tenant done at'], rows);
}
