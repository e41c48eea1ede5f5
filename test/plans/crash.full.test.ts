import { type Entry, memoryEngine } from 'flyball';
import { type CrashPoint, crashingEngine } from 'flyball/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { livePlan, type PlanLives } from './crash.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

async function calmPlan(ending: 'completes' | 'fails') {
  const process = crashingEngine(memoryEngine(), () => false);
  return { calm: await livePlan(ending, () => process), points: [...process.points] };
}

function crashedAt({ n, when }: CrashPoint, ending: 'completes' | 'fails'): Promise<PlanLives> {
  const engine = memoryEngine();
  return livePlan(ending, (life) => crashingEngine(engine, life === 0 ? { at: n, when } : () => false));
}

const resultOf = ({ outcome }: PlanLives): unknown =>
  'value' in outcome ? outcome.value : 'partial' in outcome && outcome.partial;

/** Keys of model calls whose reply, and of tool calls whose end, the journal holds. */
function endedIn(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ event }) =>
      event.type === 'ask-end' || event.type === 'complete' || event.type === 'abort' ? [`run:0:${event.id}`] : [],
    ),
  );
}

/** Steps that run side by side may end in another order: what each came to is the same. */
function comparable(lives: PlanLives): unknown {
  const { records, ...rest } = resultOf(lives) as {
    records: readonly { id: string; actualToolCalls: readonly { effect: string }[] }[];
  };
  const sorted = records
    .map((record) => ({ ...record, actualToolCalls: record.actualToolCalls.map(({ effect, ...call }) => call) }))
    .sort((a, b) => a.id.localeCompare(b.id));
  return { ...rest, records: sorted };
}

function expectAlike(crashed: PlanLives, calm: PlanLives): void {
  const { world, atDeath } = crashed;
  expect(crashed.outcome.stop).toBe(calm.outcome.stop);
  expect(comparable(crashed)).toEqual(comparable(calm));
  const ended = endedIn(atDeath);
  for (const counts of [world.asked, world.ran])
    for (const [key, times] of counts) {
      if (ended.has(key)) expect(times, `${key} was made again after its end was journaled`).toBe(1);
      else expect(times, `${key} was made ${times} times`).toBeLessThanOrEqual(2);
    }
  for (const [key, { name, times }] of world.made) expect(times, `${name} (${key})`).toBe(1);
  expect(world.left()).toEqual(calm.world.left());
  expect(world.asked.size).toBe(calm.world.asked.size);
}

describe('a plan that dies before or after any of its journal writes', () => {
  it('uses all that it is tested with', async () => {
    const { calm } = await calmPlan('completes');
    expect(calm.outcome).toMatchObject({ stop: 'done', value: { completed: true, revisions: [{ version: 2 }] } });
    const kinds = calm.entries.flatMap(({ event }) => (event.type === 'note' ? [event.event.kind] : []));
    for (const kind of ['plan-change', 'branch', 'step-validation', 'step-end']) expect(kinds).toContain(kind);
    expect(calm.world.left()).toEqual(['book', 'look', 'save']);
  });

  it.each(['completes', 'fails'] as const)(
    '%s like the one that never did: nothing is asked, called or changed twice',
    async (ending) => {
      const { calm, points } = await calmPlan(ending);
      expect(points.length).toBeGreaterThan(40);
      for (const point of points) {
        const name = `crashed ${point.when} write ${point.n} (${point.entries?.join(', ') ?? point.op})`;
        const crashed = await crashedAt(point, ending).catch((cause: unknown) => {
          throw new Error(name, { cause });
        });
        expect(crashed.lives, name).toBe(2);
        try {
          expectAlike(crashed, calm);
        } catch (cause) {
          throw new Error(name, { cause });
        }
      }
      if (ending === 'fails') expect(calm.world.left()).toEqual(['look', 'save', 'unsave']);
    },
  );
});
