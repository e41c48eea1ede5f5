import { done, type Outcome, type Run, type Tool, type Usage } from 'flyball';
import { summarise } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { at, gate, type Life, moving, RUN } from './stage.js';

type Effect = Tool<unknown, unknown>['effect'];

/** Three branches race: one hears the bound and stops, one does not and wins later, the third reaches the bound. */
function race(effect: Effect) {
  const begun: string[] = [];
  const acts = gate();
  const base = { description: 'Does something.' };
  const slow: Tool<unknown, unknown> = {
    ...base,
    name: 'slow',
    effect,
    reserve: () => ({ filesChanged: 3 }),
    execute: (_args, { signal }) => {
      begun.push('slow');
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const deaf: Tool<unknown, unknown> = {
    ...base,
    name: 'deaf',
    effect: 'idempotent',
    execute: async () => {
      begun.push('deaf');
      await acts.opened;
      return 'heard';
    },
  };
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    const third = async (branch: Run): Promise<unknown> => {
      await branch.sleep(80);
      const reached = branch.call(deaf, { third: true });
      acts.open();
      return reached;
    };
    return done(await run.first<unknown>([(b) => b.call(slow, {}), async (b) => (await b.call(deaf, {})).ok, third]));
  };
  return { agent, begun };
}

const undoable = (happened: 'yes' | 'no'): Effect => ({
  class: 'undoable',
  compensate: async () => undefined,
  verify: async () => (happened === 'yes' ? { happened, result: 1 } : { happened }),
});

async function boundedThenDone(life: Life): Promise<readonly Usage[]> {
  const bounded = await life.start(null, { toolCalls: 2 });
  expect(bounded).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
  const ended = await life.resume({ budget: { toolCalls: 3 } });
  expect(ended).toMatchObject({ stop: 'done' });
  return [bounded, ended].map(({ usage }) => usage as Usage);
}

describe('a call that is in doubt', () => {
  it('counts in the outcome of the run that waits for a person, and in every view of it, once [R8-REST-DOUBT-COUNTS]', async () => {
    const pay: Tool<unknown, unknown> = {
      name: 'pay',
      description: 'Pays.',
      effect: { class: 'undoable', compensate: async () => undefined },
      execute: async () => 'paid',
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call({ ...pay, name: 'look', effect: 'pure' }, {});
      return done((await run.call(pay, {})).ok);
    };
    const stage = moving();
    await stage.crashed(agent, at('after', 'intent'));
    const life = stage.open(agent);
    const waiting = await life.resume();
    expect(waiting).toMatchObject({ stop: 'suspended', usage: { toolCalls: 2 } });
    expect(summarise(await stage.entries()).usage.toolCalls.spent).toBe(2);
    const token = waiting.stop === 'suspended' ? (waiting.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, { happened: true, result: 'paid' }, { from: 'ada' });
    expect(await life.resume()).toMatchObject({ stop: 'done', usage: { toolCalls: 2 } });
    expect(summarise(await stage.entries()).usage.toolCalls.spent).toBe(2);
  });
});

describe('a call whose body began before a bound stopped it', () => {
  it('counts, also where it loses after the run goes on and is not made again [R7-TRIAL-B7]', async () => {
    const { agent, begun } = race(undoable('no'));
    const usages = await boundedThenDone(moving().open(agent));
    expect(begun).toEqual(['slow', 'deaf']);
    expect(usages.map(({ toolCalls }) => toolCalls)).toEqual([2, 2]);
  });

  it('counts at the bound already where it is left open to be repeated, and may have changed what it reserved [R7-TRIAL-B7]', async () => {
    const { agent, begun } = race('idempotent');
    const usages = await boundedThenDone(moving().open(agent));
    expect(begun).toEqual(['slow', 'deaf']);
    expect(usages.map(({ toolCalls }) => toolCalls)).toEqual([2, 2]);
    expect(usages[0]).toMatchObject({ filesChanged: 0, possibly: { filesChanged: 3 } });
    expect(usages[1]).toMatchObject({ filesChanged: 3 });
  });

  it('counts once in a life after a crash too [R7-TRIAL-B7]', async () => {
    const { agent } = race(undoable('no'));
    const stage = moving();
    await stage.open(agent).start(null, { toolCalls: 2 });
    const life = stage.open(agent, { crash: at('before', 'run-end') });
    void life.resume({ budget: { toolCalls: 3 } });
    await life.crashed;
    life.die();
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', usage: { toolCalls: 2 } });
  });

  it('counts once where it is made again [R7-TRIAL-B7]', async () => {
    const begun: string[] = [];
    const again: Tool<unknown, unknown> = {
      name: 'again',
      description: 'Does something.',
      effect: undoable('no'),
      execute: async (_args, { signal }) => {
        begun.push('again');
        if (begun.length > 1) return 1;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const sleeps = async (branch: Run): Promise<unknown> => {
        await branch.sleep(80);
        return branch.call({ ...again, name: 'other', execute: async () => 2 }, {});
      };
      return done((await run.all<unknown>([(b) => b.call(again, {}), sleeps], 2)).length);
    };
    const stage = moving();
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded', usage: { toolCalls: 1 } });
    expect(await life.resume({ budget: { toolCalls: 2 } })).toMatchObject({ stop: 'done', usage: { toolCalls: 2 } });
    expect(begun).toHaveLength(2);
  });
});
