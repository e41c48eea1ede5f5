import { type Budget, changed, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { costBy, summarise } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { at, gate, moving, still } from './stage.js';

/**
 * A run can wake up already past a limit: its budget was cut while it slept, time went by, or a crash left a
 * reservation open. A bound that compared with equality would then let it run for ever.
 */

const model = () => ({
  ...scriptedModel({ talker: Array.from({ length: 9 }, () => ({ text: 'ok', usage: { input: 100, output: 10 } })) }),
  price: { input: 0, output: 1_000_000 },
});
const tool: Tool<number, number> = {
  name: 'edit',
  description: 'Edits.',
  effect: 'idempotent',
  reserve: () => ({ filesChanged: 2, linesChanged: 20 }),
  execute: async (n) => changed(n, { filesChanged: 2, linesChanged: 20 }) as unknown as number,
};

/** Spends two of everything, waits for `go`, and would then go on for ever. */
function spender(after: { count: number }) {
  const session: Session = { name: 'talker', model: model(), setup: 'Talk.', sampling: { maxOutputTokens: 10 } };
  return async (run: Run): Promise<Outcome<unknown>> => {
    for (let n = 0; n < 2; n++) {
      run.budget.take('iterations');
      await run.ask(session, `turn ${n}`);
      await run.call(tool, n);
    }
    await run.wait({ name: 'go' });
    for (;;) {
      await run.step('more', after.count, () => ++after.count, 'pure');
    }
  };
}

const SPENT: readonly (readonly [keyof Budget, number])[] = [
  ['iterations', 2],
  ['modelCalls', 2],
  ['toolCalls', 2],
  ['tokensIn', 200],
  ['tokensOut', 20],
  ['costUsd', 20],
  ['filesChanged', 4],
  ['linesChanged', 40],
];

describe('a run that wakes up past its limit', () => {
  it.each(SPENT)(
    'ends at %s although it did not reach that limit by a call of its own [R2-SHOW-BUDGET-RESUMED] [R2-BUDGET-PAST-LIMIT]',
    async (axis, spent) => {
      const stage = moving();
      const after = { count: 0 };
      const life = stage.open(spender(after));
      expect(await life.start(null, { costUsd: 1000 })).toMatchObject({ stop: 'suspended' });
      await life.runtime.signal('run', 'go');
      const outcome = await life.resume({ budget: { [axis]: spent / 2 } });
      expect(outcome).toMatchObject({ stop: 'bounded', bound: axis, limit: spent / 2, usage: { [axis]: spent } });
      expect(after.count).toBe(0);
    },
  );

  it('ends at wallMs [R2-SHOW-BUDGET-RESUMED]', async () => {
    const stage = still();
    const begun = gate();
    const slow = gate<string>();
    let repeated = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step(
        'slow',
        null,
        () => {
          begun.open();
          return slow.opened;
        },
        'pure',
      );
      await run.wait({ name: 'go' });
      await run.step('more', null, () => ++repeated, 'pure');
      return done(null);
    };
    const life = stage.open(agent);
    const first = life.start(null, { wallMs: 10_000 });
    await begun.opened;
    await stage.clock.advance(6000);
    slow.open('done');
    await stage.clock.advance(100);
    expect(await first).toMatchObject({ stop: 'suspended', usage: { wallMs: 6000 } });
    const outcome = await life.resume({ budget: { wallMs: 5000 } });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'wallMs', limit: 5000 });
    expect(repeated).toBe(0);
  });

  it('counts a tool call that a crash made it repeat once, with what it reserved', async () => {
    const stage = moving();
    const write: Tool<null, string> = {
      name: 'write',
      description: 'Writes two files.',
      effect: 'idempotent',
      reserve: () => ({ filesChanged: 2 }),
      execute: async () => 'written',
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => done((await run.call(write, null)).content);
    await stage.crashed(agent, at('before', 'complete'), { limits: { toolCalls: 1, filesChanged: 2 } });
    const outcome = await stage.open(agent).resume();
    expect(outcome).toMatchObject({ stop: 'done', usage: { toolCalls: 1, filesChanged: 2 } });
    expect(outcome.usage).not.toHaveProperty('possibly');
  });

  it('ends at its deadline when that passed while nobody ran it [R2-SHOW-BUDGET-RESUMED]', async () => {
    const stage = still();
    let steps = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('first', null, () => ++steps, 'idempotent');
      await run.step('second', null, () => ++steps, 'idempotent');
      return done(null);
    };
    const deadline = VIRTUAL_START + 1000;
    await stage.crashed(agent, at('after', 'complete'), { limits: { deadline } });
    await stage.clock.advance(5000);
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'bounded', bound: 'deadline', limit: deadline });
    expect(steps).toBe(1);
  });

  it('ends at noProgress when the repeats before the crash already reached it [R2-SHOW-BUDGET-RESUMED]', async () => {
    const stage = moving();
    let looks = 0;
    const look: Tool<null, string> = {
      name: 'look',
      description: 'Looks.',
      effect: 'idempotent',
      execute: async () => {
        looks++;
        return 'same';
      },
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 4; n++) await run.call(look, null);
      await run.wait({ name: 'go' });
      for (let n = 0; n < 10; n++) await run.call(look, null);
      return done(null);
    };
    const life = stage.open(agent);
    expect(await life.start(null, { noProgress: 5 })).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal('run', 'go');
    expect(await life.resume({ budget: { noProgress: 2 } })).toMatchObject({
      stop: 'bounded',
      bound: 'noProgress',
      limit: 2,
    });
    expect(looks).toBeLessThanOrEqual(5);
  });

  it('ends at depth: a child that is already open goes on, a new one is refused [R2-SHOW-BUDGET-RESUMED]', async () => {
    const stage = moving();
    const child = async (run: Run): Promise<Outcome<string>> => done(String(await run.wait({ name: 'go' })));
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const first = await run.spawn(child, null, { share: 0.5 });
      return first.stop === 'done' ? run.spawn(child, null, { share: 0.5 }) : first;
    };
    const life = stage.open(agent);
    expect(await life.start(null, { depth: 1 })).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal('run', 'go', 'on');
    expect(await life.resume({ budget: { depth: 0 } })).toMatchObject({ stop: 'bounded', bound: 'depth', limit: 0 });
  });

  it('ends at width: branches that are already open end the run, and no effect of theirs is lost [R2-SHOW-BUDGET-RESUMED]', async () => {
    const stage = moving();
    let acted = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const branch = async (on: Run): Promise<unknown> => {
        await on.step('act', null, () => ++acted, 'idempotent');
        return on.wait({ name: 'go' });
      };
      await run.all([branch, branch, branch], 3);
      await run.all([branch, branch, branch], 3);
      return done(null);
    };
    const life = stage.open(agent);
    expect(await life.start(null, { width: 3 })).toMatchObject({ stop: 'suspended' });
    expect(acted).toBe(3);
    for (let n = 0; n < 3; n++) await life.runtime.signal('run', 'go', n);
    expect(await life.resume({ budget: { width: 2 } })).toMatchObject({ stop: 'bounded', bound: 'width', limit: 2 });
    expect(acted).toBe(3);
  });
});

describe('a reservation that a crash left open', () => {
  it('stays taken, is shown apart from what was spent, and the call is made again [R2-BUDGET-OPEN-COUNTS] [F-K6]', async () => {
    const stage = moving();
    const scripted = model();
    const session: Session = { name: 'talker', model: scripted, setup: 'Talk.', sampling: { maxOutputTokens: 10 } };
    const agent = async (run: Run): Promise<Outcome<unknown>> => done((await run.ask(session, 'hello')).text);
    await stage.crashed(agent, at('after', 'ask-start'), { limits: { costUsd: 100 } });
    const outcome = await stage.open(agent).resume();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: 'ok',
      usage: {
        modelCalls: 1,
        tokensIn: 100,
        tokensOut: 10,
        costUsd: 10,
        possibly: { modelCalls: 1, tokensIn: 100, tokensOut: 10, costUsd: 10 },
      },
    });
    const entries = await stage.entries();
    expect(summarise(entries).usage.costUsd).toEqual({ spent: 10, limit: 100, possibly: 10 });
    expect(costBy(entries)).toMatchObject({ total: { costUsd: 10 }, possibly: { calls: 1, costUsd: 10 } });
    expect(costBy(entries.slice(0, -1))).toMatchObject({ total: { costUsd: 10 }, possibly: { costUsd: 10 } });
    expect(scripted.requests).toHaveLength(1); // the first life died before it could send anything
    expect((await stage.events('ask-start')).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('ends the run when there is no room for another one [R2-BUDGET-OPEN-COUNTS] [R2-SHOW-BUDGET-RESUMED]', async () => {
    const stage = moving();
    const scripted = model();
    const session: Session = { name: 'talker', model: scripted, setup: 'Talk.', sampling: { maxOutputTokens: 10 } };
    const agent = async (run: Run): Promise<Outcome<unknown>> => done((await run.ask(session, 'hello')).text);
    await stage.crashed(agent, at('after', 'ask-start'), { limits: { modelCalls: 1, costUsd: 100 } });
    expect(await stage.open(agent).resume()).toMatchObject({
      stop: 'bounded',
      bound: 'modelCalls',
      limit: 1,
      usage: { modelCalls: 0, possibly: { modelCalls: 1 } },
    });
    expect(scripted.requests).toHaveLength(0);
  });
});
