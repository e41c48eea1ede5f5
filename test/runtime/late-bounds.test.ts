import { done, type Outcome, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { eventsOf, moving } from './stage.js';

const tool: Tool = { name: 'tool', description: 'Does nothing.', effect: 'idempotent', execute: async () => 'ok' };
const rules = { class: 'idempotent', compensate: async () => undefined } as const;

type Ending = 'returns' | 'throws' | 'continues';
type Before = (run: Run) => Promise<unknown>;

/** Uses up its one tool call, comes past a bound, and ends. */
function ending(how: Ending, before: Before) {
  return async (run: Run, generation: number): Promise<Outcome<unknown>> => {
    if (generation > 0) return done('continued');
    await run.step('book', null, () => 'booked', rules);
    await run.call(tool, {});
    await before(run);
    if (how === 'throws') throw new Error('of the agent');
    if (how === 'continues') run.continueWith(generation + 1);
    return done('ended');
  };
}

const ENDS = {
  returns: { stop: 'done', value: 'ended' },
  throws: { stop: 'failed', because: 'of the agent' },
  continues: { stop: 'done', value: 'continued' },
} as const;
const endings = Object.keys(ENDS) as Ending[];

const call: Before = (run) => run.call(tool, {});
const now: Before = async () => 'now';
const places: readonly (readonly [string, Before])[] = [
  ['before a branch that wins at once', (run) => run.first([call, now])],
  ['after a branch that wins at once', (run) => run.first([now, call])],
];
const cases = places.flatMap(([place, before]) => endings.map((how) => [place, how, before] as const));

describe('a bound that is reached in the turn in which the code ends', () => {
  it.each(cases)('%s: code that %s ends as it says [R7-BODIES-LATEBOUND]', async (_place, how, before) => {
    const stage = moving();
    const outcome = await stage.open(ending(how, before)).start(0, { toolCalls: 1 });
    expect(outcome).toMatchObject({ ...ENDS[how], usage: { toolCalls: 1 } });
    const entries = await stage.entries();
    expect(eventsOf(entries, 'trip')).toHaveLength(1);
    expect(eventsOf(entries, 'intent').filter(({ of }) => of === 'undo')).toHaveLength(how === 'throws' ? 1 : 0);
  });

  it.each(endings)('ends the same after a crash at any write: code that %s [R7-BODIES-LATEBOUND]', async (how) => {
    let crashes = 0;
    for (let n = 1; n < 30; n++) {
      const stage = moving();
      const agent = ending(how, (run) => run.first([call, now]));
      let writes = 0;
      const life = stage.open(agent, { crash: ({ op }) => op === 'append' && ++writes === n });
      const ended = await Promise.race([life.start(0, { toolCalls: 1 }), life.crashed.then(() => undefined)]);
      if (ended !== undefined) break;
      crashes++;
      life.die();
      expect(await stage.open(agent).resume()).toMatchObject(ENDS[how]);
    }
    expect(crashes).toBeGreaterThan(3);
  });

  it.each(endings)('stops code that was told of it in any branch, and then %s [R7-BODIES-LATEBOUND]', async (how) => {
    const take: Before = async (run) => run.budget.take('iterations', 2);
    const agent = ending(how, (run) => run.first([take, now]));
    const life = moving().open(agent);
    expect(await life.start(0, { iterations: 1 })).toMatchObject({ stop: 'bounded', bound: 'iterations' });
    expect(await life.resume({ budget: { iterations: 2 } })).toMatchObject(ENDS[how]);
  });

  it.each(endings)('stops code that goes on with effects, and then %s [R7-BODIES-LATEBOUND]', async (how) => {
    const agent = ending(how, async (run) => {
      await run.first([call, now]);
      await run.step('next', null, () => 1, 'pure');
    });
    const life = moving().open(agent);
    expect(await life.start(0, { toolCalls: 1 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
    expect(await life.resume({ budget: { toolCalls: 2 } })).toMatchObject(ENDS[how]);
  });
});
