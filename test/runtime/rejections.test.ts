import { done, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { NO, toTheEnd, YES } from './fork-stage.js';
import { type Life, moving, RUN, type Stage } from './stage.js';

const AGAIN = { verdict: 'reject', reason: 'not today', reask: true } as const;
const MONEY = { class: 'irreversible', why: 'money is gone' } as const;

function wallet() {
  const paid: unknown[] = [];
  const pay: Tool<{ readonly to: string; readonly euros: number }, string> = {
    name: 'pay',
    description: 'Pays.',
    effect: MONEY,
    execute: async (args) => {
      paid.push(args);
      return 'paid';
    },
  };
  const buy = (run: Run) => run.call(pay, { to: 'bob', euros: 10 });
  const buyAgain = (run: Run) => run.call(pay, { euros: 10, to: 'bob' }); // the same, written in another order
  return { paid, pay, buy, buyAgain };
}

/** Says these one after the other to whatever is asked, and counts the questions. */
async function played(life: Life, says: readonly unknown[], runId = RUN) {
  const asked: string[] = [];
  const outcome = await toTheEnd(life, runId, ({ name, kind }) => {
    if (kind !== 'approval') return {};
    asked.push(name);
    return says[asked.length - 1] ?? YES;
  });
  return { outcome, asked };
}

async function begun(stage: Stage<never>, agent: (run: Run, input: unknown) => Promise<unknown>): Promise<Life> {
  const life = stage.open(agent as never);
  await life.start();
  return life;
}

describe('a no of a person', () => {
  it('stands when the same call is made again: nobody is asked, and the refusal says who, when and why [R7-APPROVE-FINAL]', async () => {
    const { paid, buy, buyAgain } = wallet();
    const stage = moving();
    const life = await begun(stage as never, async (run) => {
      await buy(run);
      return done((await buyAgain(run)).content);
    });
    const { outcome, asked } = await played(life, [NO]);
    expect(asked).toEqual(['approve:#0']);
    expect(paid).toEqual([]);
    const [first, second] = await stage.events('abort');
    expect(first).toMatchObject({ id: '#0', failure: { code: 'APPROVAL_REJECTED' } });
    expect(second).toMatchObject({ id: '#1', failure: { code: 'APPROVAL_REJECTED' } });
    expect(outcome).toMatchObject({
      stop: 'done',
      value: expect.stringMatching(/ann rejected it at \d{4}-\d\d-\d\dT.*: no\./),
      acts: [
        { name: 'pay', what: 'refused' },
        { name: 'pay', what: 'refused' },
      ],
    });
  });

  it('stands for steps of the code too [R7-APPROVE-FINAL]', async () => {
    const paid: unknown[] = [];
    const life = await begun(moving() as never, async (run) => {
      const pay = () =>
        run.step('pay', 10, (amount) => paid.push(amount), MONEY).catch((error: { code?: string }) => error.code);
      return done([await pay(), await pay()]);
    });
    const { outcome, asked } = await played(life, [NO]);
    expect([asked.length, paid, outcome]).toMatchObject([1, [], { value: ['APPROVAL_REJECTED', 'APPROVAL_REJECTED'] }]);
  });

  it('is for what was asked: another amount is another question [R7-APPROVE-FINAL]', async () => {
    const { paid, pay, buy } = wallet();
    const life = await begun(moving() as never, async (run) => {
      await buy(run);
      return done((await run.call(pay, { to: 'bob', euros: 9 })).ok);
    });
    const { outcome, asked } = await played(life, [NO, YES]);
    expect([asked.length, paid, outcome]).toMatchObject([2, [{ euros: 9 }], { value: true }]);
  });

  it('holds for what was proposed and for what somebody had made of it [R7-APPROVE-FINAL]', async () => {
    const { paid, pay, buy } = wallet();
    const life = await begun(moving() as never, async (run) => {
      await buy(run);
      return done([(await buy(run)).ok, (await run.call(pay, { to: 'bob', euros: 5 })).ok]);
    });
    const { outcome, asked } = await played(life, [{ verdict: 'modify', value: { to: 'bob', euros: 5 } }, NO]);
    expect([asked.length, paid, outcome]).toMatchObject([2, [], { value: [false, false] }]);
  });

  it('is not final where the person says so: reask [R7-APPROVE-REASK]', async () => {
    const { paid, buy } = wallet();
    const life = await begun(moving() as never, async (run) => {
      await buy(run);
      return done((await buy(run)).ok);
    });
    const { outcome, asked } = await played(life, [AGAIN, YES]);
    expect([asked.length, paid.length, outcome]).toMatchObject([2, 1, { value: true }]);
  });

  it('is not given by silence: what nobody decided about can be asked again [R7-APPROVE-FINAL]', async () => {
    const { paid, pay } = wallet();
    const hasty = { ...pay, approval: { timeoutMs: 1000 } };
    const life = await begun(moving() as never, async (run) => {
      await run.call(hasty, { to: 'bob', euros: 10 });
      const again = await run.call(hasty, { to: 'bob', euros: 10 });
      return done(again.ok ? 'paid' : again.failure.code);
    });
    const outcome = await toTheEnd(life, RUN, () => undefined);
    expect([paid, outcome]).toMatchObject([[], { value: 'NO_ANSWER' }]);
    expect((await life.runtime.entries(RUN)).filter(({ event }) => event.type === 'wait-start')).toHaveLength(2);
  });

  it('holds for children, for later generations and for another process [R7-APPROVE-FINAL]', async () => {
    const { paid, buy } = wallet();
    const agent = async (run: Run, input: unknown) => {
      const generation = (input as number | null) ?? 0;
      const child = await run.spawn(async (inner: Run) => done((await buy(inner)).ok), null, { share: 0.5 });
      if (generation < 2) return run.continueWith(generation + 1);
      await run.wait({ name: 'later' });
      return done([child.stop === 'done' && child.value, (await buy(run)).ok]);
    };
    const stage = moving();
    const life = await begun(stage as never, agent);
    await life.runtime.signal(RUN, (await openToken(life)) ?? '', NO, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'later' }] });
    life.die();
    const { outcome, asked } = await played(stage.open(agent), []);
    expect([asked, paid, outcome]).toMatchObject([[], [], { stop: 'done', value: [false, false] }]);
  });

  it('outlives a bound that is lifted [R7-APPROVE-FINAL]', async () => {
    const { paid, buy } = wallet();
    const stage = moving();
    const agent = async (run: Run) => {
      await buy(run);
      return done((await buy(run)).ok);
    };
    const life = stage.open(agent);
    await life.start(null, { toolCalls: 1 });
    await life.runtime.signal(RUN, (await openToken(life)) ?? '', NO, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'bounded' });
    await life.resume({ budget: { toolCalls: 5 } });
    const { outcome, asked } = await played(life, []);
    expect([asked, paid, outcome]).toMatchObject([[], [], { value: false }]);
  });

  it.each(['a point before it', 'a point after it'])(
    'holds for a live fork, made at %s [R7-APPROVE-FORK]',
    async (where) => {
      const { paid, buy } = wallet();
      const agent = async (run: Run) => {
        await run.step('look', null, () => 1, 'pure');
        await buy(run);
        await run.step('look', null, () => 2, 'pure');
        return done((await buy(run)).content);
      };
      const stage = moving();
      const life = await begun(stage as never, agent);
      await played(life, [NO]);
      const looked = (await stage.entries()).filter(({ event }) => event.type === 'complete').map(({ seq }) => seq);
      const at = looked[where === 'a point before it' ? 0 : 1] ?? -1;
      await life.runtime.fork(RUN, { at, live: true, id: 'fork', by: 'eve' });
      const { outcome, asked } = await played(life, [], 'fork');
      expect(asked).toEqual([]); // not even whether the fork may act: it has nothing to do that may be done
      expect([paid, outcome]).toMatchObject([
        [],
        { stop: 'done', value: expect.stringMatching(/ann rejected it at .*no\./) },
      ]);
      const [start] = await stage.events('run-start', 'fork');
      expect(Object.values(start?.fork?.state.rejections ?? {})).toMatchObject([{ by: 'ann', reason: 'no' }]);
    },
  );

  it('said in a later generation holds for a live fork of an earlier one [R7-APPROVE-FORK]', async () => {
    const { paid, buy } = wallet();
    const agent = async (run: Run, input: unknown) => {
      await run.step('look', null, () => 1, 'pure');
      if (input === null) return run.continueWith(1);
      return done((await buy(run)).ok);
    };
    const stage = moving();
    const life = await begun(stage as never, agent);
    await played(life, [NO]);
    await life.runtime.fork(RUN, { at: 2, generation: 0, live: true, id: 'fork' });
    const { asked } = await played(life, [], 'fork');
    expect([asked, paid]).toEqual([[], []]);
  });
});

async function openToken(life: Life): Promise<string | undefined> {
  const outcome = await life.runtime.handle(RUN).outcome();
  return outcome.stop === 'suspended' ? outcome.waiting.find(({ kind }) => kind === 'approval')?.token : undefined;
}
