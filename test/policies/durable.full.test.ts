import { type Engine, type Entry, memoryEngine } from 'flyball';
import { type CrashPoint, crashingEngine } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { liveTalk, readable, type TalkLives } from './talk-lives.js';

const immortal = (engine: Engine) => crashingEngine(engine, () => false);

async function calmTalk(policy: string) {
  const process = immortal(memoryEngine());
  const calm = await liveTalk(policy, 'calm', () => process);
  return { calm, points: [...process.points] };
}

function crashedAt(policy: string, { n, when }: CrashPoint): Promise<TalkLives> {
  const engine = memoryEngine();
  return liveTalk(policy, 'calm', (life) => (life === 0 ? crashingEngine(engine, { at: n, when }) : immortal(engine)));
}

/** Keys of model calls whose reply, and of tool calls whose end, the journal holds. */
function endedIn(entries: readonly Entry[]): ReadonlySet<string> {
  const ids = entries.flatMap(({ event }) =>
    event.type === 'ask-end' || event.type === 'complete' || event.type === 'abort' ? [event.id] : [],
  );
  return new Set(ids.map((id) => `calm:0:${id}`));
}

function expectAlike({ world, outcome, entries, atDeath }: TalkLives, calm: TalkLives): void {
  expect(outcome).toMatchObject({ stop: 'done', value: { turns: 3 } });
  expect(readable(entries)).toEqual(readable(calm.entries));
  const ended = endedIn(atDeath);
  for (const [key, times] of [...world.asked, ...world.ran])
    expect(times, `${key} was made ${times} times`).toBeLessThanOrEqual(ended.has(key) ? 1 : 2);
  for (const [key, { name, times }] of world.made) expect(times, `${name} (${key})`).toBe(1);
  expect([...world.made.values()].map(({ name }) => name)).toEqual(
    [...calm.world.made.values()].map(({ name }) => name),
  );
  expect([...world.asked.keys()]).toEqual([...calm.world.asked.keys()]);
}

describe.each(['baseline', 'declarative', 'imperative', 'governed'])('a conversation under %s', (policy) => {
  it('survives a kill before or after any of its journal writes, between turns and inside them [R5-TALK-DURABLE]', async () => {
    const { calm, points } = await calmTalk(policy);
    expect(calm.outcome).toMatchObject({ stop: 'done', value: { turns: 3 } });
    const calls = policy === 'governed' ? 3 : 4;
    expect(calm.world.made.size).toBe(calls);
    expect(points.length).toBeGreaterThan(30);
    // the two that share their control flow share the instants between them too
    const mine = policy === 'baseline' ? 0 : policy === 'declarative' ? 1 : undefined;
    for (const [at, point] of points.entries())
      if (mine === undefined || at % 2 === mine) expectAlike(await crashedAt(policy, point), calm);
  });
});

it('passes on a write before verification under every policy but governed [R5-TALK-DURABLE]', async () => {
  const first = async (policy: string) => [...(await calmTalk(policy)).calm.world.made.values()][0]?.name;
  expect(await first('imperative')).toBe('change_user_email');
  expect(await first('governed')).toBe('get_user_information_by_id');
});
