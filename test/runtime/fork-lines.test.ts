import { budget, type Clock, done, memoryStore, type Outcome, type Run, type Tool } from 'flyball';
import { approvalInbox } from 'flyball/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO, toTheEnd, YES } from './fork-stage.js';
import { eventsOf, gate, type Life, moving, type Stage, still } from './stage.js';

let paid: unknown[] = [];
const pay: Tool<null, string> = {
  name: 'pay',
  description: 'Pays.',
  effect: { class: 'irreversible', why: 'money is gone' },
  execute: async () => {
    paid.push('paid');
    return 'paid';
  },
};

/** Looks, and then wants to pay. */
async function payer(run: Run): Promise<Outcome<unknown>> {
  await run.step('look', null, () => 1, 'pure');
  return done((await run.call(pay, null)).ok);
}

let stage: Stage<Clock>;
let life: Life;
beforeEach(() => {
  paid = [];
  stage = moving();
  life = stage.open(payer);
});

async function begun(id: string, subject: string): Promise<void> {
  const handle = await life.runtime.start('agent', null, { id, subject, budget: budget() });
  await handle.outcome();
}

/** A live fork right after the look: it comes to the question again. */
async function forked(of: string, id: string, by: string): Promise<void> {
  const at = (await stage.entries(of)).find(({ event }) => event.type === 'complete' || event.type === 'run-start');
  await (await life.runtime.fork(of, { at: at?.seq ?? -1, live: true, id, by })).outcome();
}

async function tokenOf(runId: string): Promise<string> {
  return eventsOf(await stage.entries(runId), 'wait-start').at(-1)?.token ?? 'nothing is asked';
}

/** Somebody who has no part in it decides about the payment, and lets the fork act. */
async function says(runId: string, verdict: unknown, from = 'dina'): Promise<void> {
  await life.runtime.signal(runId, await tokenOf(runId), verdict, { from });
}

/** Plays a run to its end with somebody who agrees to everything; answers what they were asked. */
async function agreed(runId: string): Promise<readonly string[]> {
  const asked: string[] = [];
  await toTheEnd(life, runId, ({ name }) => {
    asked.push(name);
    return YES;
  });
  return asked;
}

describe('a line of forks', () => {
  it('makes a requester of everybody who started a run on it [R7-APPROVE-LINE]', async () => {
    await begun('a', 'ada');
    await forked('a', 'b', 'bob');
    await forked('b', 'c', 'carl');
    const [start] = eventsOf(await stage.entries('c'), 'wait-start');
    expect([...(start?.needs?.requesters ?? [])].sort()).toEqual(['ada', 'bob', 'carl']);
    for (const from of ['ada', 'bob', 'carl']) await expect(says('c', YES, from)).rejects.toThrow('requested it');
    expect(paid).toEqual([]);
  });

  it('passes on a no that came after its middle was made [R7-APPROVE-LINE-NO]', async () => {
    await begun('a', 'ada');
    await forked('a', 'b', 'bob');
    await says('a', NO);
    await life.runtime.wake('a').then((run) => run.outcome());
    await forked('b', 'c', 'bob');
    expect([await agreed('c'), paid]).toEqual([[], []]);
    const [start] = eventsOf(await stage.entries('c'), 'run-start');
    expect(Object.values(start?.fork?.state.rejections ?? {})).toMatchObject([{ by: 'dina', reason: 'no' }]);
  });
});

describe('a no that was accepted and not heard yet', () => {
  const pause = async (): Promise<void> => {
    await life.runtime.pause('a', { by: 'bob' });
    await life.runtime.wake('a').then((run) => run.outcome());
    expect((await life.runtime.get('a')).status).toBe('paused');
  };

  it.each([
    ['the run is paused', 'a'],
    ['the run further up is paused', 'b'],
  ])('holds for a live fork: %s [R7-APPROVE-UNHEARD]', async (_where, parent) => {
    await begun('a', 'ada');
    await forked('a', 'b', 'bob');
    await pause();
    await says('a', NO);
    await forked(parent, 'c', 'bob');
    expect([await agreed('c'), paid]).toEqual([[], []]);
    await life.runtime.resume('a').then((run) => run.outcome()); // and the run itself hears it when it goes on
    expect(eventsOf(await stage.entries('a'), 'wait-end')).toMatchObject([{ from: 'dina', payload: NO }]);
  });

  it('is in the journal, the inbox and the forks of a run that is cancelled before it hears it [R7-APPROVE-UNHEARD]', async () => {
    const inbox = approvalInbox({ runtime: life.runtime, store: memoryStore(), clock: stage.clock });
    await begun('a', 'ada');
    const [asked] = (await inbox.list()).items;
    await pause();
    await says('a', NO);
    await life.runtime.cancel('a', { by: 'bob' });
    expect(await life.runtime.wake('a').then((run) => run.outcome())).toMatchObject({ stop: 'cancelled' });
    expect(eventsOf(await stage.entries('a'), 'wait-end')).toMatchObject([{ from: 'dina', payload: NO }]);
    expect(await inbox.get(asked?.id ?? '')).toMatchObject({
      status: 'decided',
      decision: { by: 'dina', reason: 'no' },
    });
    expect(await inbox.history(asked?.id ?? '')).toMatchObject([{ by: 'dina', verdict: 'reject' }]);
    expect(await stage.engine.inbox('a', 0)).toEqual([]);
    await forked('a', 'c', 'bob');
    expect([await agreed('c'), paid]).toEqual([[], []]);
  });

  it('holds where the run was asleep and is woken only to be cancelled [R7-APPROVE-UNHEARD]', async () => {
    await begun('a', 'ada');
    await says('a', NO);
    await life.runtime.cancel('a', { by: 'bob' });
    expect(await life.runtime.wake('a').then((run) => run.outcome())).toMatchObject({ stop: 'cancelled' });
    await forked('a', 'c', 'bob');
    expect([await agreed('c'), paid]).toEqual([[], []]);
  });

  it('is kept where the cancellation comes while the run is at work [R7-APPROVE-UNHEARD]', async () => {
    const { opened, open } = gate();
    stage = still();
    life = stage.open(async (run) => {
      const slow = run.step('slow', null, () => opened, 'pure');
      await run.call(pay, null);
      return done(await slow);
    });
    const handle = await life.runtime.start('agent', null, { id: 'a', subject: 'ada', budget: budget() });
    await expect.poll(() => tokenOf('a')).toContain('gate');
    await says('a', NO);
    await life.runtime.cancel('a', { by: 'bob' });
    open();
    expect(await handle.outcome()).toMatchObject({ stop: 'cancelled' });
    expect(eventsOf(await stage.entries('a'), 'wait-end')).toMatchObject([{ from: 'dina', payload: NO }]);
    expect(await stage.engine.inbox('a', 0)).toEqual([]);
  });
});
