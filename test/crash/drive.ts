import { budget, type Engine, type Entry, type Outcome, type Runtime, type Session, type Waiting } from 'flyball';
import { type AutoClock, autoClock, crashingEngine, scriptedModel, testHost } from 'flyball/testing';
import { openRuntime } from '../../src/runtime/runtime.js';
import { agentOf, type Case } from './program.js';
import { World } from './world.js';

export interface Driven {
  readonly outcome: Outcome<unknown>;
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly lives: number;
  readonly points: number;
}

/** Carries a case to its end through all its crashes: each life is a new runtime over the same engine and world. */
export async function drive(given: Case, inner: Engine): Promise<Driven> {
  const world = new World(given.seed);
  const clock = autoClock();
  const gone = new Set<string>();
  let points = 0;
  try {
    for (let life = 0; ; life++) {
      const plan = given.crashes[life] ?? { at: -1, when: 'before' as const };
      const crashing = crashingEngine(inner, plan);
      const host = testHost(`life-${life}`, gone);
      world.isDead = crashing.isDead;
      const runtime = runtimeOf(given, crashing.engine, clock, host, world);
      const ended = await Promise.race([
        carryOn(runtime, given, world, clock),
        crashing.crashed.then(() => undefined),
        stuck(runtime),
      ]);
      host.die();
      points += crashing.points.length;
      if (ended !== undefined) {
        const entries = await runtime.entries(RUN);
        runtime.abandon();
        return { outcome: ended, entries, world, lives: life + 1, points };
      }
      runtime.abandon();
    }
  } finally {
    clock.stop();
  }
}

/** A run that hangs is a finding too: it fails with its journal instead of with a timeout. */
async function stuck(runtime: Runtime): Promise<never> {
  for (let quiet = 0; quiet < 20; quiet++) await new Promise((resolve) => setTimeout(resolve, 50).unref());
  const entries = await runtime.entries(RUN).catch(() => []);
  throw new Error(`stuck after ${entries.map(({ event }) => JSON.stringify(event)).join('\n')}`);
}

export const RUN = 'run';

export function runtimeOf(
  given: Case,
  engine: Engine,
  clock: AutoClock,
  host: ReturnType<typeof testHost>,
  world: World,
): Runtime {
  const model = scriptedModel({
    talker: async () => {
      await world.latency();
      return `reply ${world.fresh()}`;
    },
  });
  const session: Session = { name: 'talker', model, setup: 'You talk.' };
  return openRuntime({
    engine,
    clock,
    host,
    agents: { fuzzed: agentOf(given, world, session) },
    prices: () => ({ input: 1, output: 1 }),
    options: { worker: false, suspendAfterMs: 20, leaseMs: 1e9, maxResumes: 1e9 },
  });
}

/** More of any axis than a generated program can use. */
const ENOUGH = 1000;

async function carryOn(runtime: Runtime, given: Case, world: World, clock: AutoClock): Promise<Outcome<unknown>> {
  const known = await runtime.get(RUN).catch(() => undefined);
  let handle =
    known === undefined
      ? await runtime.start('fuzzed', null, {
          id: RUN,
          budget: budget({ toolCalls: given.toolCalls, iterations: given.iterations, wallMs: 1e12, noProgress: 1000 }),
        })
      : await resume(runtime);
  for (;;) {
    const outcome = await handle.outcome();
    if (outcome.stop === 'bounded' && given.enlarges && outcome.limit < ENOUGH) {
      handle = await runtime.resume(RUN, { budget: { toolCalls: ENOUGH, iterations: ENOUGH } });
      continue;
    }
    if (outcome.stop !== 'suspended') return outcome;
    const untils: number[] = [];
    for (const waiting of outcome.waiting) {
      if (waiting.kind === 'sleep') untils.push(waiting.until ?? 0);
      else await answer(runtime, waiting, world);
    }
    if (outcome.waiting.every(({ kind }) => kind === 'sleep')) await until(clock, Math.min(...untils));
    handle = await resume(runtime);
  }
}

/** A run that ended in the life before has nothing to resume. */
async function resume(runtime: Runtime) {
  return runtime.resume(RUN).catch((error: { readonly code?: string }) => {
    if (error.code === 'ALREADY_TERMINAL' || error.code === 'CONFIG_INVALID') return runtime.handle(RUN);
    throw error;
  });
}

/** People answer truthfully; a duplicate of an answer given before a crash is ignored by the inbox. */
async function answer(runtime: Runtime, waiting: Waiting, world: World): Promise<void> {
  const id = `answer to ${waiting.effect}`;
  if (waiting.kind === 'approval') await runtime.signal(RUN, waiting.token ?? '', { verdict: 'approve' }, { id });
  else if (waiting.kind === 'doubt') {
    const { key } = waiting.request as { readonly key: string };
    const happened = world.made.has(key);
    await runtime.signal(RUN, waiting.token ?? '', happened ? { happened, result: `told ${key}` } : { happened }, {
      id: `${id} ${happened}`,
    });
  } else await runtime.signal(RUN, waiting.token ?? '', { from: 'outside' }, { id });
}

function until(clock: AutoClock, at: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(Math.max(0, at - clock.now()), resolve);
  });
}
