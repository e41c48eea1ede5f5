import { type Agent, budget, type Clock, done, type Outcome, type Run, type RunRef, type Tool } from 'flyball';
import { summarise } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import type { AnyAgent } from '../../packages/flyball/src/core/agent-types.js';
import { type Life, moving, type Stage } from './stage.js';

const count: Tool<{ n: number }, string> = {
  name: 'count',
  description: 'Counts.',
  effect: 'idempotent',
  execute: async ({ n }) => `counted ${n}`,
};

/** Makes so many calls. */
const counting: Agent<number, number> = async (run, calls) => {
  for (let n = 0; n < calls; n++) await run.call(count, { n });
  return done(calls);
};

const SLICE = { slice: { toolCalls: 5 } };

/** Wakes whatever can move until the first run has ended. */
async function played(stage: Stage<Clock>, life: Life, first: Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
  let outcome = await first;
  for (let turn = 0; outcome.stop === 'suspended' && turn < 20; turn++) {
    const { runs } = await life.runtime.list();
    for (const { id, status } of runs)
      if (id !== 'run' && ['pending', 'suspended', 'running'].includes(status))
        await (await life.runtime.wake(id)).outcome();
    const record = await stage.engine.get('run');
    const until = Math.min(...outcome.waiting.map((one) => one.until ?? Number.POSITIVE_INFINITY));
    if ((await stage.engine.inbox('run', 0)).length === 0 && record?.status === 'suspended' && Number.isFinite(until))
      await new Promise<void>((resolve) => void stage.clock.after(until - stage.clock.now() + 1, resolve));
    outcome = await (await life.runtime.wake('run')).outcome();
  }
  return outcome;
}

const ran = async (agent: Agent<null, unknown>, helper: AnyAgent = counting, limits = { toolCalls: 20 }) => {
  const stage = moving();
  const life = stage.open(agent, { agents: { agent, helper } });
  const outcome = await played(stage, life, life.start(null, limits));
  return { stage, life, outcome };
};

const left = (run: Run) => run.budget.remaining('toolCalls');

describe('what a started run spends, in the books of the run that started it', () => {
  it('counts its whole slice as possibly spent until its end is known, and then what it used [R11-N6-BOOKS]', async () => {
    const { outcome, stage } = await ran(async (run) => {
      const before = left(run);
      const ref = await run.start('helper', 2, SLICE);
      const meanwhile = left(run);
      await run.join(ref);
      return done([before, meanwhile, left(run), run.budget.spent().toolCalls]);
    });
    expect(outcome).toMatchObject({ stop: 'done', value: [20, 15, 18, 2], usage: { toolCalls: 2 } });
    expect(outcome).not.toHaveProperty('usage.possibly');
    const entries = await stage.entries();
    expect(summarise(entries).usage.toolCalls).toEqual({ spent: 2, limit: 20 });
    expect(summarise(entries.slice(0, -1)).usage.toolCalls).toEqual({ spent: 2, limit: 20 });

    const alone = await ran(async (run) => done((await run.start('helper', 2, SLICE)).agent));
    expect(alone.outcome).toMatchObject({ stop: 'done', usage: { toolCalls: 0, possibly: { toolCalls: 5 } } });
    expect(summarise(await alone.stage.entries()).usage.toolCalls).toMatchObject({ spent: 0, possibly: 5 });
  });

  it('is counted once, however often and wherever it is joined [R11-N6-BOOKS]', async () => {
    const { outcome } = await ran(async (run) => {
      const ref = await run.start('helper', 2, SLICE);
      await run.all([(one) => one.join(ref), (other) => other.join(ref)], 2);
      await run.join(ref);
      return done(left(run));
    });
    expect(outcome).toMatchObject({ value: 18, usage: { toolCalls: 2 } });
    expect(outcome).not.toHaveProperty('usage.possibly');
  });

  it('adds up where a child started it, and a child that joins it has no more than its own slice [R11-N6-BOOKS]', async () => {
    const starts: Agent<null, RunRef> = async (run) => done(await run.start('helper', 2, SLICE));
    const handedUp = await ran(async (run) => {
      const child = await run.spawn(starts, null, { toolCalls: 8 });
      if (child.stop !== 'done') return child;
      const between = left(run);
      await run.join(child.value);
      return done([child.usage?.possibly?.toolCalls, between, left(run)]);
    });
    expect(handedUp.outcome).toMatchObject({ value: [5, 15, 18], usage: { toolCalls: 2 } });

    const joins: Agent<RunRef, number> = async (run, ref) => {
      await run.join(ref);
      return done(left(run));
    };
    const handedDown = await ran(async (run) => {
      const ref = await run.start('helper', 2, SLICE);
      const child = await run.spawn(joins, ref, { toolCalls: 3 });
      const between = left(run);
      await run.join(ref);
      return done(['value' in child ? child.value : child.stop, between, left(run)]);
    });
    expect(handedDown.outcome).toMatchObject({ value: [3, 15, 18], usage: { toolCalls: 2 } });
  });

  it('adds up where a child joined what it started, while its parent goes on [R11-N6-BOOKS]', async () => {
    const both: Agent<null, number> = async (run) => {
      const ref = await run.start('helper', 2, SLICE);
      await run.join(ref);
      return done(left(run));
    };
    const { outcome } = await ran(async (run) => {
      const child = await run.spawn(both, null, { toolCalls: 5 });
      await run.call(count, { n: 0 });
      return done(['value' in child ? child.value : child.stop, child.usage?.toolCalls, left(run)]);
    });
    expect(outcome).toMatchObject({ value: [3, 2, 17], usage: { toolCalls: 3 } });
  });

  it('leaves room for what it did not use, and never lets both spend it [R11-N6-BOOKS]', async () => {
    const { outcome } = await ran(
      async (run) => {
        const ref = await run.start('helper', 2, SLICE);
        const full = await run.all(
          [0, 1].map(() => (branch: Run) => branch.start('helper', 1, SLICE)),
          2,
        );
        expect(full).toHaveLength(2);
        await run.join(ref);
        for (let n = 0; n < 4; n++) await run.call(count, { n });
        return done('too much');
      },
      counting,
      { toolCalls: 15 },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 15, wanted: 1, left: 0 });
    expect(outcome).toMatchObject({ usage: { toolCalls: 5, possibly: { toolCalls: 10 } } });
  });

  it('keeps what is left of a run at a bound, which can be resumed, and is exact once that has ended [R11-N6-BOOKS]', async () => {
    const stage = moving();
    const agent: Agent<null, unknown> = async (run) => {
      const ref = await run.start('helper', 8, SLICE);
      const first = await run.join(ref);
      const meanwhile = [left(run), run.budget.remaining('modelCalls')];
      await run.wait({ name: 'on' });
      return done([
        first.stop,
        ...meanwhile,
        (await run.join(ref)).stop,
        left(run),
        run.budget.remaining('modelCalls'),
      ]);
    };
    const life = stage.open(agent, { agents: { agent, helper: counting } });
    const rests = await played(stage, life, life.start(null, { toolCalls: 20, modelCalls: 50 })).catch((e) => e);
    expect(rests).toMatchObject({ stop: 'suspended' });
    const other = (await life.runtime.list({ agent: 'helper' })).runs[0]?.id ?? '';
    expect(await stage.engine.get(other)).toMatchObject({ status: 'bounded' });
    await (await life.runtime.resume(other, { budget: budget({ toolCalls: 9 }) })).outcome();
    await life.runtime.signal('run', 'on', null);
    const outcome = await (await life.runtime.wake('run')).outcome();
    // 8 were made, and 3 of them under a budget that somebody else gave
    expect(outcome).toMatchObject({
      stop: 'done',
      value: ['bounded', 15, 45, 'done', 15, 50],
      usage: { toolCalls: 5 },
    });
    expect(outcome).not.toHaveProperty('usage.possibly');
  });

  it('adds up over generations, and is not on the bill of a fork [R11-N6-BOOKS]', async () => {
    const agent: Agent<RunRef | null, unknown> = async (run, given) => {
      if (given === null) {
        const ref = await run.start('helper', 2, SLICE);
        await run.call(count, { n: 0 });
        return run.continueWith(ref);
      }
      const before = left(run);
      await run.join(given);
      return done([before, left(run)]);
    };
    const { outcome, stage, life } = await ran(agent as Agent<null, unknown>);
    expect(outcome).toMatchObject({ stop: 'done', value: [14, 17], usage: { toolCalls: 3 } });
    expect(outcome).not.toHaveProperty('usage.possibly');
    expect(summarise(await stage.entries()).usage.toolCalls).toEqual({ spent: 3, limit: 20 });
    const joined = (await stage.entries()).find(({ event }) => event.type === 'generation-start');
    const fork = await life.runtime.fork('run', { at: joined?.seq ?? 0, generation: 1, id: 'fork' } as never);
    expect(await fork.outcome()).toMatchObject({ stop: 'done', usage: { toolCalls: 0 } });
  });

  it('is not on the bill of a fork made inside the child that started it, nor of forks of that fork [R11-N6-BOOKS]', async () => {
    const starts: Agent<null, null> = async (child) => {
      await child.start('helper', 2, SLICE);
      await child.call(count, { n: 0 });
      return done(null);
    };
    const agent: Agent<null, unknown> = async (run) => {
      await run.spawn(starts, null, { toolCalls: 12 });
      await run.step('told', left(run), () => null, 'pure');
      return done(left(run));
    };
    const { outcome, stage, life } = await ran(agent);
    expect(outcome).toMatchObject({ stop: 'done', value: 14 });
    const called = (await stage.entries()).findLast(({ event }) => event.type === 'complete' && event.id.includes('/'));
    const fork = await life.runtime.fork('run', { at: called?.seq ?? 0, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 20 });
    const told = (await life.runtime.entries('fork')).find(({ event }) => event.type === 'complete');
    const again = await life.runtime.fork('fork', { at: told?.seq ?? 0, id: 'fork-of-fork' });
    expect(await again.outcome()).toMatchObject({ stop: 'done', value: 20 });
  });

  it('is the same wherever the process is killed [R11-N6-BOOKS]', async () => {
    const agent: Agent<null, unknown> = async (run) => {
      const ref = await run.start('helper', 2, SLICE);
      await run.call(count, { n: 0 });
      await run.join(ref);
      await run.call(count, { n: 0 });
      return done(left(run));
    };
    let lived = false;
    for (let n = 1; !lived && n < 80; n++) {
      const stage = moving();
      const life = stage.open(agent, {
        agents: { agent, helper: counting },
        crash: (point) => point.n === n && point.when === 'after',
      });
      const ended = await Promise.race([
        played(stage, life, life.start(null, { toolCalls: 20 })).catch(() => undefined),
        life.crashed.then(() => undefined),
      ]);
      life.die();
      lived = ended !== undefined;
      const known = await stage.engine.get('run');
      if (known === undefined) continue;
      const next = stage.open(agent, { agents: { agent, helper: counting } });
      const rest = known.status === 'done' ? next.runtime.handle('run').outcome() : next.resume();
      const outcome = await played(stage, next, rest);
      expect(outcome, `crash ${n}`).toMatchObject({ value: 16, usage: { toolCalls: 4 } });
      expect(outcome, `crash ${n}`).not.toHaveProperty('usage.possibly');
    }
    expect(lived).toBe(true);
  });
});
