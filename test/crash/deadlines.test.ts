import { done, type Entry, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { moving } from '../runtime/stage.js';
import { HOUR_MS, WEEK_MS } from './case.js';
import { deadlines } from './deadlines.js';

/** One branch reaches the bound of the run, and the other asks for an hour in the same turn. */
function agent(says: 'something' | 'nothing'): (run: Run) => Promise<Outcome<unknown>> {
  return async (run) => {
    await run.step('first', null, () => 1, 'pure');
    if (says === 'something') run.note({ kind: 'said' });
    await run.all(
      [
        async (on) => on.budget.take('iterations', 2),
        (on) => on.within({ deadline: on.now() + HOUR_MS, shared: true }, async () => null),
      ],
      2,
    );
    return done(null);
  };
}

/** The run reaches its bound, and is given more a week later. */
async function resumedAfterAWeek(says: 'something' | 'nothing'): Promise<readonly Entry[]> {
  const stage = moving();
  const life = stage.open(agent(says));
  expect(await life.start(null, { iterations: 1 })).toMatchObject({ stop: 'bounded', bound: 'iterations' });
  await new Promise<void>((resolve) => void stage.clock.after(WEEK_MS, resolve));
  await life.resume({ budget: { iterations: 9 } });
  return stage.entries();
}

/** How long the child had when it began. */
function hoursGiven(entries: readonly Entry[]): readonly number[] {
  return entries.flatMap(({ event, at }) =>
    event.type === 'spawn-start' ? [Math.round(((event.limits.deadline ?? 0) - at) / HOUR_MS)] : [],
  );
}

function aWeekEarlier(entry: Entry): Entry {
  const { event } = entry;
  if (event.type !== 'spawn-start') return entry;
  const deadline = (event.limits.deadline ?? 0) - WEEK_MS;
  return { ...entry, event: { ...event, limits: { ...event.limits, deadline } } };
}

describe('the rule that a child has the hour that it is given', () => {
  it('excuses a turn that had said something before the run reached a bound that was lifted since', async () => {
    const entries = await resumedAfterAWeek('something');
    expect(hoursGiven(entries)).toEqual([1 - 7 * 24]);
    expect(deadlines({ entries, inherited: [] })).toEqual([]);
  });

  it('excuses no turn that had said nothing: it is lived when the run goes on', async () => {
    const entries = await resumedAfterAWeek('nothing');
    expect(hoursGiven(entries)).toEqual([1]);
    expect(deadlines({ entries: entries.map(aWeekEarlier), inherited: [] })).toMatchObject([{ rule: 'now:stale' }]);
  });
});
