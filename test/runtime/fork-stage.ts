import type { Clock, Entry, Outcome, Waiting } from 'flyball';
import { forkPoints } from 'flyball/views';
import type { Life, Stage } from './stage.js';

export const YES = { verdict: 'approve' } as const;
export const NO = { verdict: 'reject', reason: 'no' } as const;

/** Plays a run to its end: sleeps pass, and whoever is asked answers what `says` gives. */
export async function toTheEnd(
  life: Life,
  runId: string,
  says: (asked: Waiting) => unknown = () => YES,
): Promise<Outcome<unknown>> {
  let outcome = await life.runtime.handle(runId).outcome();
  for (let turn = 0; turn < 50 && outcome.stop === 'suspended'; turn++) {
    for (const asked of outcome.waiting) {
      const payload = asked.kind === 'sleep' ? undefined : says(asked);
      if (payload !== undefined)
        await life.runtime.signal(runId, asked.token ?? asked.name, payload, { from: 'ann', scopes: ['*'] });
    }
    outcome = await (await life.runtime.wake(runId)).outcome();
  }
  return outcome;
}

/** Forks of a run at every place where it can be forked, one after the other, each played to its end. */
export async function everyFork(
  stage: Stage<Clock>,
  life: Life,
  of: { readonly run: string; readonly generation: number; readonly live: boolean; readonly by?: string },
): Promise<readonly (Outcome<unknown> & { readonly at: number })[]> {
  const entries = (await stage.entries(of.run)).filter(({ generation }) => generation === of.generation);
  const outcomes: (Outcome<unknown> & { readonly at: number })[] = [];
  for (const at of forkPoints(entries, of.generation)) {
    const id = `${of.run}-${of.generation}.${at}${of.live ? '-live' : ''}${of.by ?? ''}`;
    const { live, generation, by } = of;
    await life.runtime.fork(of.run, { at, generation, live, id, ...(by === undefined ? {} : { by }) });
    outcomes.push({ ...(await toTheEnd(life, id)), at });
  }
  return outcomes;
}

/** Position of the last entry of a type in a generation. */
export function lastOf(entries: readonly Entry[], type: string, generation = 0): number {
  const found = entries.findLast((entry) => entry.event.type === type && entry.generation === generation);
  if (found === undefined) throw new Error(`Generation ${generation} has no ${type}.`);
  return found.seq;
}
