import {
  type Budget,
  budget,
  createRuntime,
  type Engine,
  type Entry,
  type Model,
  memoryStore,
  type Outcome,
  type Store,
} from 'flyball';
import type { CommitResult } from 'flyball/loops';
import { autoClock, type Script, type ScriptedModel, scriptedModel, testHost } from 'flyball/testing';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import type { Mortal } from '../../packages/flyball/src/testing/mortal.js';
import { type Answer, carryOn, stuck } from '../crash/carry-on.js';
import { type CommitOptions, loopWith, ROOMY, SMOOTH, TASK } from './stage-commit.js';

export interface Doomed extends Mortal<unknown> {
  readonly engine: Engine;
}

/** A course of a loop. Its script answers by what is shown and never by counting: a crash may ask twice. */
export interface Course {
  readonly script: Script;
  readonly task?: TaskSpec;
  readonly options?: CommitOptions;
  readonly limits?: Partial<Budget>;
  /** What people say to a question. */
  readonly answer?: (request: Readonly<Record<string, unknown>>) => unknown;
}

export interface CommitLives {
  readonly outcome: Outcome<CommitResult>;
  readonly store: Store;
  readonly model: ScriptedModel;
  /** How often the model was asked, by key: each time costs money. */
  readonly asked: ReadonlyMap<string, number>;
  readonly lives: number;
  readonly entries: readonly Entry[];
  /** What the journal held when the first process died. */
  readonly atDeath: readonly Entry[];
}

const RUN = 'run';

/** Takes one loop to its end, in as many lives as it takes. Store, model and clock outlive the processes. */
export async function liveCommit(course: Course, lifeOf: (life: number) => Doomed): Promise<CommitLives> {
  const clock = autoClock();
  const gone = new Set<string>();
  const store = memoryStore();
  const scripted = scriptedModel({ ...SMOOTH, ...course.script });
  const asked = new Map<string, number>();
  let atDeath: readonly Entry[] = [];
  try {
    for (let life = 0; ; life++) {
      const doomed = lifeOf(life);
      const host = testHost(`life-${life}`, gone);
      const loop = loopWith(counting(scripted, asked, doomed), { ...course.options, store });
      const runtime = createRuntime({
        engine: doomed.engine,
        clock,
        host,
        agents: { committer: (run, input) => loop(run, input as TaskSpec) },
        options: { worker: false, suspendAfterMs: 20, leaseMs: 1e9, maxResumes: 1e9 },
      });
      if (life === 1) atDeath = await runtime.entries(RUN).catch(() => []);
      const work = carryOn(
        runtime,
        {
          runId: RUN,
          start: (on) =>
            on.start('committer', course.task ?? TASK, {
              id: RUN,
              budget: budget({ ...ROOMY, ...course.limits, wallMs: 1e12 }),
            }),
          answer: (waiting): Answer => ({
            id: `answer to ${waiting.effect}`,
            payload: course.answer?.(waiting.request as Readonly<Record<string, unknown>>) ?? {
              verdict: 'approve',
              reason: 'because',
            },
          }),
        },
        clock,
      );
      const outcome = await Promise.race([work, doomed.crashed.then(() => undefined), stuck(runtime, RUN, 20_000)]);
      host.die();
      if (outcome === undefined) {
        work.catch(() => undefined); // nobody hears what a dead process still says
        runtime.abandon();
        continue;
      }
      const entries = await runtime.entries(RUN);
      runtime.abandon();
      return {
        outcome: outcome as Outcome<CommitResult>,
        store,
        model: scripted,
        asked,
        lives: life + 1,
        entries,
        atDeath,
      };
    }
  } finally {
    clock.stop();
  }
}

/** A dead process asks nobody. */
function counting(scripted: ScriptedModel, asked: Map<string, number>, { isDead }: Doomed): ScriptedModel {
  const generate: Model['generate'] = (request, how) => {
    if (!isDead()) asked.set(how.key, (asked.get(how.key) ?? 0) + 1);
    return scripted.generate(request, how);
  };
  return { ...scripted, generate };
}
