import {
  budget,
  createRuntime,
  type Engine,
  type Entry,
  type Outcome,
  type Runtime,
  type Session,
  type Waiting,
} from 'flyball';
import { type AutoClock, autoClock, scriptedModel, testHost } from 'flyball/testing';
import type { Mortal } from '../../packages/flyball/src/testing/mortal.js';
import { type Answer, carryOn, ignoreEnded, type Journey, stuck } from './carry-on.js';
import { answerOf, type Ending, mixedAgent, StableWorld } from './mixed-agent.js';

/** An engine with a process around it that can die. */
export interface Doomed extends Mortal<unknown> {
  readonly engine: Engine;
}

export interface Ended {
  readonly outcome: Outcome<unknown>;
  readonly entries: readonly Entry[];
}

export interface MixedRuns {
  readonly world: StableWorld;
  readonly runs: readonly Ended[];
  readonly lives: number;
}

/** Takes runs of the fixed agent to their end, in as many lives as it takes: `lifeOf` says on what engine each is lived. */
export async function mixedRuns(
  about: {
    readonly runIds: readonly string[];
    readonly ending: Ending;
    readonly patienceMs?: number;
    /** Whether the storage is being asked something: time stands still meanwhile. */
    readonly isBusy?: () => boolean;
  },
  lifeOf: (life: number) => Doomed | Promise<Doomed>,
): Promise<MixedRuns> {
  const world = new StableWorld();
  const clock = autoClock(about.isBusy === undefined ? {} : { isBusy: about.isBusy });
  const gone = new Set<string>();
  try {
    for (let life = 0; ; life++) {
      const doomed = await lifeOf(life);
      const host = testHost(`life-${life}`, gone);
      const runtime = runtimeOn(doomed.engine, { clock, host, world, ending: about.ending });
      world.isDead = doomed.isDead;
      world.cancel = (runId) => void runtime.cancel(runId, { by: 'test', why: 'near its end' }).catch(ignoreEnded);
      const all = Promise.all(about.runIds.map((runId) => carryOn(runtime, journeyOf(runId, world), clock)));
      const outcomes = await Promise.race([
        all,
        doomed.crashed.then(() => undefined),
        ...about.runIds.map((runId) => stuck(runtime, runId, about.patienceMs)),
      ]);
      host.die();
      if (outcomes === undefined) {
        all.catch(() => undefined); // nobody hears what a dead process still says
        runtime.abandon();
        continue;
      }
      const entries = await Promise.all(about.runIds.map((runId) => runtime.entries(runId)));
      runtime.abandon();
      return {
        world,
        runs: outcomes.map((outcome, index) => ({ outcome, entries: entries[index] ?? [] })),
        lives: life + 1,
      };
    }
  } finally {
    clock.stop();
  }
}

function runtimeOn(
  engine: Engine,
  given: {
    readonly clock: AutoClock;
    readonly host: ReturnType<typeof testHost>;
    readonly world: StableWorld;
    readonly ending: Ending;
  },
): Runtime {
  const model = scriptedModel({ talker: ({ messages }) => `reply to ${messages.at(-1)?.content}` });
  const session: Session = { name: 'talker', model, setup: 'You talk.' };
  return createRuntime({
    engine,
    clock: given.clock,
    host: given.host,
    agents: { mixed: mixedAgent(given.world, session, given.ending) },
    prices: { 'scripted/model': { input: 1, output: 1 } },
    options: { worker: false, suspendAfterMs: 20, maxResumes: 1e9 },
  });
}

function journeyOf(runId: string, world: StableWorld): Journey {
  return {
    runId,
    start: (runtime) => runtime.start('mixed', 'input', { id: runId, budget: budget({ wallMs: 1e12 }) }),
    answer: (waiting) => answer(waiting, world),
  };
}

/** People answer truthfully. */
function answer(waiting: Waiting, world: StableWorld): Answer {
  const id = `answer to ${waiting.effect}`;
  if (waiting.name === 'end') return 'cancel';
  if (waiting.name === 'never') return 'let it pass';
  if (waiting.kind === 'approval') return { id, payload: { verdict: 'approve' } };
  if (waiting.kind !== 'doubt') return { id, payload: `answer to ${waiting.name}` };
  const { key, action } = waiting.request as { readonly key: string; readonly action: string };
  const happened = world.made.has(key);
  return { id: `${id} ${happened}`, payload: happened ? { happened, result: answerOf(action) } : { happened } };
}
