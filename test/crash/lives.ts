import { type AnyAgent, createRuntime, type Engine, type Entry, type Outcome } from 'flyball';
import { autoClock, testHost } from 'flyball/testing';
import type { Mortal } from '../../packages/flyball/src/testing/mortal.js';
import { carryOn, type Journey, stuck } from './carry-on.js';

/** An engine with a process around it that can die. */
export interface Doomed extends Mortal<unknown> {
  readonly engine: Engine;
}

export interface Lives {
  readonly outcome: Outcome<unknown>;
  readonly entries: readonly Entry[];
  readonly lives: number;
  /** What the journal held when the first process died. */
  readonly atDeath: readonly Entry[];
}

/** Takes one run to its end, in as many lives as it takes. The world is told which process it is that may act on it. */
export async function throughLives(given: {
  readonly journey: Journey;
  readonly agents: Readonly<Record<string, AnyAgent>>;
  readonly world: { isDead: () => boolean };
  readonly lifeOf: (life: number) => Doomed;
}): Promise<Lives> {
  const { journey, agents, world, lifeOf } = given;
  const { runId } = journey;
  const clock = autoClock();
  const gone = new Set<string>();
  let atDeath: readonly Entry[] = [];
  try {
    for (let life = 0; ; life++) {
      const doomed = lifeOf(life);
      const host = testHost(`life-${life}`, gone);
      const runtime = createRuntime({
        engine: doomed.engine,
        clock,
        host,
        agents,
        options: { worker: false, suspendAfterMs: 20, maxResumes: 1e9 },
      });
      world.isDead = doomed.isDead;
      if (life === 1) atDeath = await runtime.entries(runId).catch(() => []); // it may have died before it began
      const work = carryOn(runtime, journey, clock);
      const outcome = await Promise.race([work, doomed.crashed.then(() => undefined), stuck(runtime, runId, 20_000)]);
      host.die();
      if (outcome === undefined) {
        work.catch(() => undefined); // nobody hears what a dead process still says
        runtime.abandon();
        continue;
      }
      const entries = await runtime.entries(runId);
      runtime.abandon();
      return { outcome, entries, lives: life + 1, atDeath };
    }
  } finally {
    clock.stop();
  }
}
