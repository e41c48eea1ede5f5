import { budget, type Engine, type Entry, type Outcome, type Runtime, type Session, type Waiting } from 'flyball';
import { type AutoClock, autoClock, type CrashPoint, crashingEngine, scriptedModel, testHost } from 'flyball/testing';
import { openRuntime } from '../../src/runtime/runtime.js';
import { type Answer, carryOn, ignoreEnded, type Journey, stuck } from './carry-on.js';
import { agentOf, type Case } from './program.js';
import { World } from './world.js';

export interface Driven {
  readonly runId: string;
  readonly outcome: Outcome<unknown>;
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly lives: number;
  readonly points: number;
}

/** Carries a case to its end through all its crashes: each life is a new runtime over the same engine and world. */
export async function drive(
  given: Case,
  inner: Engine,
  about: { readonly runId?: string; readonly patienceMs?: number } = {},
): Promise<Driven> {
  const runId = about.runId ?? 'run';
  const world = new World(given.seed);
  const clock = autoClock();
  const gone = new Set<string>();
  const journey = journeyOf(given, runId, world);
  let points = 0;
  try {
    for (let life = 0; ; life++) {
      const plan = given.crashes[life];
      const cancelAt = given.cancel?.life === life ? given.cancel.at : -1;
      let cancel = (): void => undefined;
      const crashing = crashingEngine(inner, (point: CrashPoint) => {
        if (point.n === cancelAt && point.when === 'before') setImmediate(() => cancel());
        return point.n === plan?.at && point.when === plan.when;
      });
      const host = testHost(`life-${life}`, gone);
      world.isDead = crashing.isDead;
      const runtime = runtimeOf(given, crashing.engine, clock, host, world);
      cancel = () => void runtime.cancel(runId, { by: 'test' }).catch(ignoreEnded);
      const ended = await Promise.race([
        carryOn(runtime, journey, clock),
        crashing.crashed.then(() => undefined),
        stuck(runtime, runId, about.patienceMs),
      ]);
      host.die();
      points += crashing.points.length;
      if (ended !== undefined) {
        const entries = await runtime.entries(runId);
        runtime.abandon();
        return { runId, outcome: ended, entries, world, lives: life + 1, points };
      }
      runtime.abandon();
    }
  } finally {
    clock.stop();
  }
}

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

function journeyOf(given: Case, runId: string, world: World): Journey {
  const { toolCalls, iterations } = given;
  return {
    runId,
    start: (runtime) =>
      runtime.start('fuzzed', null, {
        id: runId,
        budget: budget({ toolCalls, iterations, wallMs: 1e12, noProgress: 1000 }),
      }),
    answer: (waiting) => answer(waiting, world),
    enlarge: (limit) => (given.enlarges && limit < ENOUGH ? { toolCalls: ENOUGH, iterations: ENOUGH } : undefined),
  };
}

/** People answer truthfully; a duplicate of an answer given before a crash is ignored by the inbox. */
function answer(waiting: Waiting, world: World): Answer {
  const id = `answer to ${waiting.effect}`;
  if (waiting.kind === 'approval') return { id, payload: { verdict: 'approve' } };
  if (waiting.kind !== 'doubt') return { id, payload: { from: 'outside' } };
  const { key } = waiting.request as { readonly key: string };
  const happened = world.made.has(key);
  return { id: `${id} ${happened}`, payload: happened ? { happened, result: `told ${key}` } : { happened } };
}
