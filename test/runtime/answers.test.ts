import { budget, done, type Run, type RunHandle, type Tool } from 'flyball';
import { requestsIn } from 'flyball/people';
import { describe, expect, it } from 'vitest';
import { answer, eventsOf, gate, type Life, moving, RUN } from './stage.js';

const YES = { verdict: 'approve' } as const;
const NO = { verdict: 'reject', reason: 'fraud' } as const;
const MONEY = { class: 'irreversible', why: 'money is gone' } as const;

/** Pays after a step that a test holds open: whoever sends something ahead has the time for it. */
function payer() {
  const paid: unknown[] = [];
  const looking = gate();
  const agent = async (run: Run) => {
    await run.step('look', null, () => looking.opened, 'pure');
    const got = await run.step('pay', 10, (amount) => paid.push(amount), MONEY).catch((error: Error) => error.message);
    return done(got);
  };
  return { paid, looking, agent };
}

function begun(life: Life, subject = 'anonymous'): Promise<RunHandle> {
  return life.runtime.start('agent', null, { id: RUN, budget: budget(), subject });
}

describe('an answer sent before anybody asks', () => {
  it.each(['approve:#1', 'approve:live-fork', 'answer:#1', 'doubt:#1', `${RUN}:0:#1!gate`])(
    'is refused, whatever it is called: %s [F-S1]',
    async (name) => {
      const { paid, looking, agent } = payer();
      const life = moving().open(agent);
      const handle = await begun(life);
      await expect(life.runtime.signal(RUN, name, YES, { from: 'mallory' })).rejects.toMatchObject({
        code: 'SIGNAL_UNEXPECTED',
      });
      looking.open();
      expect(await handle.outcome()).toMatchObject({
        stop: 'suspended',
        waiting: [{ kind: 'approval', name: 'approve:#1' }],
      });
      expect(paid).toEqual([]);
    },
  );

  it('under its name is refused while the question is open, too: only whoever was shown the question has its token [F-S1]', async () => {
    const { paid, looking, agent } = payer();
    const life = moving().open(agent);
    const handle = await begun(life);
    looking.open();
    expect(await handle.outcome()).toMatchObject({ waiting: [{ kind: 'approval', name: 'approve:#1' }] });
    await expect(life.runtime.signal(RUN, 'approve:#1', YES, { from: 'mallory', scopes: ['*'] })).rejects.toMatchObject(
      {
        code: 'SIGNAL_UNEXPECTED',
        message: expect.stringContaining('Send the answer to its token'),
      },
    );
    await life.runtime.wake(RUN);
    expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'suspended' });
    expect(paid).toEqual([]);
    await answer(life.runtime, RUN, 'approve:#1', YES, { from: 'ada' });
    await life.runtime.wake(RUN);
    expect(await life.runtime.handle(RUN).finished()).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([10]);
  });

  it.each([undefined, '', 'anonymous', ' Anonymous\u200b'])(
    'by nobody in particular decides nothing: %j [R7-APPROVE-SOMEBODY]',
    async (from) => {
      const { paid, looking, agent } = payer();
      const life = moving().open(agent);
      const handle = await begun(life);
      looking.open();
      await handle.outcome();
      const sent = from === undefined ? {} : { from };
      await expect(life.runtime.signal(RUN, `${RUN}:0:#1!gate`, YES, sent)).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringMatching(/ can only be decided by an identified person\./),
      });
      expect(await life.resume()).toMatchObject({ waiting: [{ name: 'approve:#1' }] });
      expect(paid).toEqual([]);
    },
  );

  it('by somebody who may only send signals is refused by its token too; their signals are heard [R7-APPROVE-SIGNALS]', async () => {
    const life = moving().open(async (run: Run) => {
      await run.wait({ name: 'begin' });
      return done(await run.step('pay', 10, () => 'paid', MONEY));
    });
    await life.start();
    const sent = { from: 'mallory', scopes: ['*'], mayAnswer: false } as const;
    expect(await life.runtime.signal(RUN, 'begin', null, sent)).toMatchObject({ delivery: 'delivered' });
    expect(await life.resume()).toMatchObject({ waiting: [{ name: 'approve:#1' }] });
    for (const name of [`${RUN}:0:#1!gate`, 'approve:#1', 'doubt:#7'])
      await expect(life.runtime.signal(RUN, name, YES, sent)).rejects.toMatchObject({ code: 'DENIED' });
    expect(await life.resume()).toMatchObject({ waiting: [{ name: 'approve:#1' }] });
  });

  it('under a name of the agent’s own waits in vain: an approval hears answers to its token only [F-S1]', async () => {
    const life = moving().open(async (run: Run) => {
      await run.wait({ name: 'begin' });
      const heard = await run.hear({ name: 'publish', approval: { scopes: [], notBy: [] } });
      return done(heard);
    });
    await life.start();
    await life.runtime.signal(RUN, 'publish', YES, { from: 'mallory' });
    await life.runtime.signal(RUN, 'begin');
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'publish' }] });
    await answer(life.runtime, RUN, 'publish', YES, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { from: 'ann' } });
  });

  it('cannot change the arguments of what is asked later [F-S1]', async () => {
    const looking = gate();
    const sent: unknown[] = [];
    const wire: Tool<{ readonly to: string }, string> = {
      name: 'wire',
      description: 'Sends money.',
      effect: { class: 'irreversible' },
      execute: async (args) => {
        sent.push(args);
        return 'sent';
      },
    };
    const life = moving().open(async (run: Run) => {
      await run.step('look', null, () => looking.opened, 'pure');
      return done(await run.call(wire, { to: 'bob' }));
    });
    const handle = await begun(life);
    const instead = { verdict: 'modify', value: { to: 'mallory' } };
    await answer(life.runtime, RUN, 'approve:#1', instead, { from: 'mallory' }).catch(() => undefined);
    await answer(life.runtime, RUN, 'approve:#1.2', YES, { from: 'mallory' }).catch(() => undefined);
    looking.open();
    expect(await handle.outcome()).toMatchObject({
      stop: 'suspended',
      waiting: [{ request: { input: { to: 'bob' } } }],
    });
    expect(sent).toEqual([]);
  });

  it('does not let a live fork act, nor repeat what was rejected [F-S1]', async () => {
    const { paid, looking, agent } = payer();
    looking.open();
    const life = moving().open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'approve:#1', NO, { from: 'ada' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: expect.stringContaining('fraud') });
    const at = (await life.runtime.entries(RUN)).find(({ event }) => event.type === 'complete')?.seq ?? -1;
    const fork = await life.runtime.fork(RUN, { at, live: true, id: 'fork' });
    const said = await Promise.allSettled(
      ['approve:live-fork', 'approve:#1'].map((name) => life.runtime.signal('fork', name, YES, { from: 'mallory' })),
    );
    expect(said.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: expect.stringContaining('fraud') });
    expect(paid).toEqual([]);
  });

  it('is no signal that an agent can wait for [F-S1]', async () => {
    const life = moving().open(async (run: Run) => done(await run.wait({ name: 'approve:this' })));
    expect(await life.start()).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });
});

describe('two verdicts at once', () => {
  it('are one that counts and one that is refused with the name of the other [F-C5]', async () => {
    for (const order of [
      [YES, NO],
      [NO, YES],
    ]) {
      const { paid, looking, agent } = payer();
      looking.open();
      const stage = moving();
      const [here, there] = [stage.open(agent), stage.open(agent)];
      await here.start();
      const said = await Promise.allSettled([
        answer(here.runtime, RUN, 'approve:#1', order[0], { from: 'ann' }),
        answer(there.runtime, RUN, 'approve:#1', order[1], { from: 'bob' }),
      ]);
      const refused = said.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refused).toMatchObject([{ code: 'SIGNAL_UNEXPECTED', message: expect.stringMatching(/ann|bob/) }]);
      await here.resume();
      const [counted] = await stage.events('wait-end');
      expect(counted?.from).toBe(said[0]?.status === 'fulfilled' ? 'ann' : 'bob');
      expect(paid.length).toBe(JSON.stringify(counted?.payload) === JSON.stringify(YES) ? 1 : 0);
      expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    }
  });

  it('leave the question open when the first did not fit [F-C5]', async () => {
    const life = moving().open(async (run: Run) =>
      done(await run.hear({ name: 'publish', schema: oddOnly, approval: { scopes: [], notBy: [] } })),
    );
    await life.start();
    await answer(life.runtime, RUN, 'publish', 2, { from: 'ann' });
    await expect(answer(life.runtime, RUN, 'publish', 3, { from: 'bob' })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
    });
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
    await answer(life.runtime, RUN, 'publish', 3, { from: 'bob' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { value: 3, from: 'bob' } });
  });
});

const oddOnly = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      Number(value) % 2 === 1 ? { value: value as number } : { issues: [{ message: 'must be odd' }] },
  },
} as const;

describe('a wait that closes', () => {
  const level = (name: string) => ({
    name: 'ok-to-pay',
    request: { action: 'pay', to: name },
    approval: { scopes: [name], notBy: [] },
  });

  it('as the loser of first hears nobody any more, and the next under its name does [F-X6]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      for (const one of ['clerk', 'boss']) {
        const heard = await run.first<unknown>([
          (branch) => branch.hear(level(one)),
          async (branch) => {
            await branch.sleep(1_000);
            return 'nobody';
          },
        ]);
        if (heard !== 'nobody') return done(heard);
      }
      return done('gave up');
    });
    await life.start();
    await new Promise<void>((resolve) => stage.clock.after(1_001, resolve));
    await (await life.runtime.wake(RUN)).outcome();
    expect(await stage.events('wait-close')).toMatchObject([{ id: '/first.0.0#0', why: 'branch' }]);
    expect(requestsIn(RUN, await stage.entries()).map(({ status }) => status)).toEqual(['withdrawn', 'open']);
    const clerk = answer(life.runtime, RUN, 'ok-to-pay', YES, { from: 'cy', scopes: ['clerk'] });
    await expect(clerk).rejects.toMatchObject({ code: 'DENIED' });
    await answer(life.runtime, RUN, 'ok-to-pay', YES, { from: 'bob', scopes: ['boss'] });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: { from: 'bob' } });
  });

  it('at the deadline of a child is closed for everybody [F-X6] [F-K4]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const child = async (own: Run) => done(await own.hear(level('clerk')));
      const ended = await run.spawn(child, null, { deadline: run.now() + 1_000 });
      await run.wait({ name: 'later' });
      return done(ended.stop);
    });
    await life.start();
    await new Promise<void>((resolve) => stage.clock.after(1_001, resolve));
    const rested = await (await life.runtime.wake(RUN)).outcome();
    expect(rested).toMatchObject({ waiting: [{ name: 'later' }] });
    expect(await stage.events('wait-close')).toMatchObject([{ why: 'bound' }]);
    await expect(life.runtime.signal(RUN, 'ok-to-pay', YES, { from: 'cy', scopes: ['*'] })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
    });
  });

  it('is told once in the journal, wherever the process dies around it [F-X6]', async () => {
    const agent = async (run: Run) => {
      await run.first<unknown>([(branch) => branch.wait({ name: 'never' }), (branch) => branch.sleep(1_000)]);
      return done(await run.wait({ name: 'go' }));
    };
    for (let at = 3; at < 9; at++)
      for (const when of ['before', 'after'] as const) {
        const stage = moving();
        const first = stage.open(agent, { crash: { at, when } });
        await Promise.race([first.start(), first.crashed]);
        first.die();
        const second = stage.open(agent);
        await (await second.runtime.wake(RUN)).outcome();
        await new Promise<void>((resolve) => stage.clock.after(1_001, resolve));
        await (await second.runtime.wake(RUN)).outcome();
        await second.runtime.signal(RUN, 'go', 1);
        expect(await (await second.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: 1 });
        expect(eventsOf(await stage.entries(), 'wait-close').map(({ id }) => id)).toEqual(['/first.0.0#0']);
      }
  });

  it('at a bound opens again under its token when the run goes on, and still hears what was said before [F-X6]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const [asked] = await run.all<unknown>(
        [
          (branch) => branch.hear({ name: 'publish', approval: { scopes: [], notBy: [] } }),
          async (branch) => {
            await branch.sleep(1_000);
            branch.budget.take('iterations', 5);
          },
        ],
        2,
      );
      return done(asked?.ok === true ? asked.value : String(asked?.error));
    });
    await life.start(null, { iterations: 2 });
    await new Promise<void>((resolve) => stage.clock.after(1_001, resolve));
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'bounded' });
    await expect(life.runtime.signal(RUN, 'publish', YES, { from: 'ann' })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
    });
    await life.resume({ budget: { iterations: 9 } });
    expect(requestsIn(RUN, await stage.entries()).map(({ status }) => status)).toEqual(['open']);
    await answer(life.runtime, RUN, 'publish', YES, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { from: 'ann' } });
  });
});

describe('a signal', () => {
  it('says whether somebody hears it now or it is kept, and what the run waits for [F-K11]', async () => {
    const life = moving().open(async (run: Run) => {
      const go = await run.wait({ name: 'go' });
      return done([go, await run.wait({ name: 'later' })]);
    });
    await life.start();
    expect(await life.runtime.signal(RUN, 'og', 1)).toEqual({ delivery: 'buffered', waiting: ['go'] });
    expect(await life.runtime.signal(RUN, 'go', 2, { id: 'm' })).toEqual({ delivery: 'delivered', waiting: ['go'] });
    expect(await life.runtime.signal(RUN, 'go', 2, { id: 'm' })).toEqual({ delivery: 'duplicate', waiting: ['go'] });
    expect(await life.runtime.signal(RUN, 'go', 3)).toEqual({ delivery: 'buffered', waiting: ['go'] });
  });

  it('that goes to the token of a wait is delivered as one that goes to its name is [R11-RECEIPT-TOKEN]', async () => {
    const life = moving().open(async (run: Run) => done(await run.wait({ name: 'go' })));
    const outcome = await life.start();
    const token = outcome.stop === 'suspended' ? (outcome.waiting[0]?.token ?? '') : '';
    expect(await life.runtime.signal(RUN, token, 1)).toMatchObject({ delivery: 'delivered' });
    expect(await life.runtime.signal(RUN, 'go', 2)).toMatchObject({ delivery: 'buffered' }); // the first is heard
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 1 });
  });

  it('that came before the deadline is heard, also when nobody was there to hear it until later [F-C5]', async () => {
    for (const waits of [
      (run: Run) => run.wait({ name: 'go', timeoutMs: 1_000 }),
      (run: Run) =>
        run.first<unknown>([
          async (branch) => {
            await branch.sleep(1_000);
            return 'slept';
          },
          (branch) => branch.wait({ name: 'go' }),
        ]),
    ]) {
      const stage = moving();
      const first = stage.open(async (run: Run) => done(await waits(run)));
      await first.start();
      await first.runtime.signal(RUN, 'go', 'in time');
      first.die();
      await new Promise<void>((resolve) => stage.clock.after(2_000, resolve));
      const second = stage.open(async (run: Run) => done(await waits(run)));
      expect(await (await second.runtime.wake(RUN)).finished()).toMatchObject({ value: 'in time' });
    }
  });
});

describe('a verdict', () => {
  const agent = async (run: Run) => done(await run.step('pay', 1, () => 'paid', MONEY));

  it('under the token of another run, or under the id of the act, is refused and not kept [R11-VERDICT-ELSEWHERE]', async () => {
    const life = moving().open(agent);
    await life.start();
    const other = await life.runtime.start('agent', null, { id: 'other', budget: budget() });
    const outcome = await other.outcome();
    const token = outcome.stop === 'suspended' ? (outcome.waiting[0]?.token ?? '') : '';
    expect(token).not.toBe('');
    await expect(life.runtime.signal(RUN, token, YES, { from: 'ann' })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringMatching(/of other, not of run\. Send the answer to other\. Nothing was changed/),
    });
    await expect(life.runtime.signal(RUN, '#0', YES, { from: 'ann' })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining('Send the answer to its token'),
    });
    await answer(life.runtime, RUN, 'approve:#0', YES, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'paid' });
  });
});

describe('whoever asked for the act', () => {
  const agent = async (run: Run) => done(await run.step('pay', 1, () => 'paid', MONEY));

  it('cannot decide about it, unless the rules say so [F-S6]', async () => {
    const life = moving().open(agent);
    await (await begun(life, 'ada')).outcome();
    await expect(answer(life.runtime, RUN, 'approve:#0', YES, { from: 'Ada ', scopes: ['*'] })).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('requested it'),
    });
    await answer(life.runtime, RUN, 'approve:#0', YES, { from: 'bob' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'paid' });

    const own = moving().open(agent, { options: { requesterDecides: true } });
    await (await begun(own, 'ada')).outcome();
    await answer(own.runtime, RUN, 'approve:#0', YES, { from: 'ada' });
    expect(await own.resume()).toMatchObject({ stop: 'done', value: 'paid' });
  });
});
