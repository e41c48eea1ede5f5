import {
  budget,
  createRuntime,
  type Engine,
  memoryEngine,
  type Outcome,
  type RunHandle,
  type Runtime,
  systemClock,
} from 'flyball';
import { type AutoClock, autoClock, type CrashPoint, crashingEngine, testHost } from 'flyball/testing';
import type { Arm, Ended, ReadyArm } from './claim.js';
import { draw } from './simulated.js';

/** What an arm measured, item by item. */
export interface Measured {
  readonly scores: readonly number[];
  readonly calls: readonly number[];
  readonly tokens: readonly number[];
  readonly ms: readonly number[];
  /** Writes of the engine, where they are counted. */
  readonly writes?: number;
}

export interface BenchSetting {
  readonly seed: number;
  readonly items: number;
  /** Dies at this write, and goes on in another life. */
  readonly crashAt?: number;
  /** Counts the writes that it could die at. */
  readonly counts?: true;
}

/** Items that are worked on at a time. */
const WIDE = 25;
/** Items of one runtime: what thousands of runs leave in an engine in memory makes every later one slower. */
const SLAB = 250;
const PERSON = { from: 'person' };

/** Runs an arm over its items in one life, or in two with a crash between them. */
export async function measure(arm: Arm, { seed, items, crashAt, counts }: BenchSetting): Promise<Measured> {
  const clock = autoClock();
  const ready = await arm.open({ seed: `${seed} ${arm.name}`, items, clock });
  const bench = new Bench(ready, clock);
  const isCounted = counts === true || crashAt !== undefined;
  const writes = isCounted ? await inLives(bench, { seed, items, crashAt }) : undefined;
  if (!isCounted) await inSlabs(bench, items);
  clock.stop();
  await ready.close?.();
  return { ...bench.measured(), ...(writes === undefined ? {} : { writes }) };
}

async function inSlabs(bench: Bench, items: number): Promise<void> {
  for (let from = 0; from < items; from += SLAB) {
    const host = testHost(`slab-${from}`, new Set());
    const runtime = bench.open(memoryEngine(), host);
    await bench.workThrough(runtime, { from, to: Math.min(from + SLAB, items), isLater: false });
    host.die();
    await runtime.close();
  }
}

/** All items in one engine, which a second life finds as the first one left it. */
async function inLives(
  bench: Bench,
  { seed, items, crashAt }: { readonly seed: number; readonly items: number; readonly crashAt: number | undefined },
): Promise<number> {
  const inner = memoryEngine();
  const gone = new Set<string>();
  let writes = 0;
  for (let life = 1; bench.ended < items; life++) {
    const plan =
      life === 1 && crashAt !== undefined ? { at: crashAt, when: afterOrBefore(seed, crashAt) } : () => false;
    const crashing = crashingEngine(inner, plan);
    const host = testHost(`life-${life}`, gone);
    const runtime = bench.open(crashing.engine, host);
    const worked = bench.workThrough(runtime, { from: 0, to: items, isLater: life > 1 });
    const end = await Promise.race([
      worked.then(() => 'done' as const),
      crashing.crashed.then(() => 'crashed' as const),
    ]);
    writes += countOf(crashing.points);
    host.die();
    if (end === 'crashed') runtime.abandon();
    else await runtime.close();
  }
  return writes;
}

/** Whether the crashing write reached the storage: as the seed has it. */
const afterOrBefore = (seed: number, at: number): 'before' | 'after' =>
  draw(seed, 'crash', at) < 0.5 ? 'before' : 'after';
const countOf = (points: readonly CrashPoint[]): number => points.reduce((most, { n }) => Math.max(most, n), 0);
const idOf = (item: number): string => `i${item}`;

class Bench {
  private readonly ready: ReadyArm;
  private readonly clock: AutoClock;
  private readonly ends = new Map<number, Ended>();

  constructor(ready: ReadyArm, clock: AutoClock) {
    this.ready = ready;
    this.clock = clock;
  }

  get ended(): number {
    return this.ends.size;
  }

  open(engine: Engine, host: ReturnType<typeof testHost>): Runtime {
    const { agent, seams, isTimed } = this.ready;
    return createRuntime({
      engine,
      host,
      clock: isTimed === true ? this.clock : systemClock(),
      agents: { agent },
      ...(seams === undefined ? {} : { seams }),
      onProblem: () => undefined, // of lives that have died
      options: { worker: false, flushAfterMs: 0, maxResumes: 1e9 },
    }) as Runtime;
  }

  async workThrough(
    runtime: Runtime,
    { from, to, isLater }: { readonly from: number; readonly to: number; readonly isLater: boolean },
  ): Promise<void> {
    const all = Array.from({ length: to - from }, (_none, n) => from + n);
    const left = all.filter((item) => !this.ends.has(item));
    const wide = this.ready.serial === true ? 1 : WIDE;
    const next = left[Symbol.iterator]();
    const lane = async (): Promise<void> => {
      for (const item of next) this.ends.set(item, await this.workOn(runtime, item, isLater));
    };
    await Promise.all(Array.from({ length: wide }, lane));
  }

  private async workOn(runtime: Runtime, item: number, isLater: boolean): Promise<Ended> {
    const from = this.clock.now();
    const handle = (isLater ? await this.resumed(runtime, item) : undefined) ?? (await this.started(runtime, item));
    const outcome = await this.decided(runtime, handle, item);
    const entries = this.ready.reads === 'journal' ? await runtime.entries(handle.id) : [];
    return { item, outcome, ms: this.clock.now() - from, entries };
  }

  private started(runtime: Runtime, item: number): Promise<RunHandle> {
    return runtime.start('agent', item, { id: idOf(item), budget: budget({ ...this.ready.budget }) });
  }

  /** What an earlier life began, or undefined where it never came to be. */
  private async resumed(runtime: Runtime, item: number): Promise<RunHandle | undefined> {
    const known = await runtime.get(idOf(item)).catch((error: unknown) => {
      if ((error as { readonly code?: string }).code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    });
    if (known === undefined) return undefined;
    const isOpen = known.status === 'pending' || known.status === 'running';
    return isOpen ? runtime.resume(known.id) : runtime.handle(known.id);
  }

  /** A person answers until the run has ended. */
  private async decided(runtime: Runtime, handle: RunHandle, item: number): Promise<Outcome<unknown>> {
    const { person } = this.ready;
    const outcome = await handle.outcome();
    if (outcome.stop !== 'suspended' || person === undefined) return outcome;
    const name = outcome.waiting[0]?.token;
    const verdict = person(item);
    const payload = verdict === 'approve' ? { verdict } : { verdict, reason: 'It does harm.' };
    if (name !== undefined) await runtime.signal(handle.id, name, payload, { ...PERSON, id: `${handle.id} ${name}` });
    return (await runtime.wake(handle.id)).finished();
  }

  measured(): Measured {
    const all = [...this.ends.values()].sort((a, b) => a.item - b.item);
    const calls = new Map<string, number>();
    const tokens = new Map<string, number>();
    for (const model of this.ready.models)
      for (const [key, { inputTokens, outputTokens }] of model.calls) {
        const run = key.split(':')[0] ?? '';
        calls.set(run, (calls.get(run) ?? 0) + 1);
        tokens.set(run, (tokens.get(run) ?? 0) + inputTokens + outputTokens);
      }
    return {
      scores: all.map((ended) => this.ready.score(ended)),
      calls: all.map(({ item }) => calls.get(idOf(item)) ?? 0),
      tokens: all.map(({ item }) => tokens.get(idOf(item)) ?? 0),
      ms: all.map(({ ms }) => ms),
    };
  }
}
