import { budget, done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { answer, type Life, moving, RUN } from './stage.js';

const YES = { verdict: 'approve' } as const;

/** Makes a live fork that inherits everything up to the first entry of this type. */
async function liveFork(life: Life, of: string, type: string, id: string): Promise<Outcome<unknown>> {
  const entry = (await life.runtime.entries(of)).find(({ event }) => event.type === type);
  return (await life.runtime.fork(of, { at: entry?.seq ?? -1, id, live: true })).outcome();
}

async function goOn(life: Life, runId: string): Promise<Outcome<unknown>> {
  return (await life.runtime.resume(runId)).outcome();
}

describe('a live fork', () => {
  it('of an approved live fork needs an approval of its own [R2-FORK-SIMULATED] [R2-APPROVAL-GATE]', async () => {
    const acts: number[] = [];
    const life = moving().open(async (run: Run) => {
      await run.step('think', null, () => 1, 'pure');
      for (const n of [1, 2]) await run.step('act', n, () => acts.push(n), 'idempotent');
      return done('acted');
    });
    await life.start();
    await liveFork(life, RUN, 'complete', 'first');
    await answer(life.runtime, 'first', 'approve:live-fork', YES);
    expect(await goOn(life, 'first')).toMatchObject({ stop: 'done' });
    expect(acts).toEqual([1, 2, 1, 2]);

    // it inherits the approval of `first`, and its first act
    expect(await liveFork(life, 'first', 'complete', 'second')).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'approval', name: 'approve:live-fork' }],
    });
    expect(acts).toEqual([1, 2, 1, 2]);
    await answer(life.runtime, 'second', 'approve:live-fork', YES);
    expect(await goOn(life, 'second')).toMatchObject({ stop: 'done' });
    expect(acts).toEqual([1, 2, 1, 2, 2]);
  });

  it("does not act on what somebody approved in its parent's name [R2-APPROVAL-GATE] [R2-FORK]", async () => {
    const paid: number[] = [];
    const life = moving().open(async (run: Run) =>
      done(await run.step('pay', 1, () => paid.push(1), { class: 'irreversible', why: 'money is gone' })),
    );
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', YES);
    await life.resume();
    expect(paid).toEqual([1]);

    await liveFork(life, RUN, 'wait-end', 'fork'); // the parent's approval is the last entry it inherits
    await answer(life.runtime, 'fork', 'approve:live-fork', YES);
    expect(await goOn(life, 'fork')).toMatchObject({ stop: 'suspended', waiting: [{ name: 'approve:#0' }] });
    expect(paid).toEqual([1]);
    await answer(life.runtime, 'fork', 'approve:#0', YES);
    expect(await goOn(life, 'fork')).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([1, 1]);
  });
});

describe("a fork's clock", () => {
  it('starts where that of its parent started, whenever it is made [R2-RUN-NOW] [R2-FORK]', async () => {
    const stage = moving();
    const starts: number[] = [];
    const life = stage.open(async (run: Run) => {
      starts.push(run.now());
      // a time that the code looked at is part of the fingerprint: another one would diverge
      return done(await run.step('look', { now: run.now() }, () => 1, 'pure'));
    });
    await life.start();
    await new Promise<void>((resolve) => stage.clock.after(60_000, resolve));
    const entry = (await stage.entries()).find(({ event }) => event.type === 'complete');
    const fork = await life.runtime.fork(RUN, { at: entry?.seq ?? -1, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 1 });
    expect(new Set(starts).size).toBe(1);
  });
});

describe('who asked for what a fork goes on with', () => {
  it('cannot approve the acts of the fork that somebody else made of it [F-S6]', async () => {
    const life = moving().open(async (run: Run) => {
      await run.step('think', null, () => 1, 'pure');
      await run.step('wire', { usd: 10 }, () => 'sent', { class: 'irreversible', why: 'money leaves' });
      return done('sent');
    });
    const started = await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'ada' });
    await started.outcome();
    await (await life.runtime.fork(RUN, { at: 2, id: 'fork', live: true, by: 'mallory' })).outcome();
    const asked = await life.runtime.handle('fork').outcome();
    const [wait] = asked.stop === 'suspended' ? asked.waiting : [];
    for (const from of ['ada', 'mallory'])
      await expect(life.runtime.signal('fork', wait?.token ?? '', YES, { from })).rejects.toMatchObject({
        message: expect.stringContaining('somebody else has to decide'),
      });
    expect(await life.runtime.signal('fork', wait?.token ?? '', YES, { from: 'bob' })).toMatchObject({
      delivery: 'delivered',
    });
  });
});

describe('a step that a person is asked about', () => {
  it('does what was shown, whatever the code makes of its object meanwhile [F-S1]', async () => {
    const sent: number[] = [];
    const life = moving().open(
      async (run: Run) => {
        const payment = { usd: 1 };
        const step = run.step('wire', payment, ({ usd }) => sent.push(usd), {
          class: 'irreversible',
          why: 'money leaves',
        });
        payment.usd = 1_000_000;
        await step;
        return done('sent');
      },
      { options: { suspendAfterMs: 1e9 } },
    );
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'ada' });
    const ended = handle.finished();
    const token = await openToken(life);
    await life.runtime.signal(RUN, token, YES, { from: 'bob' });
    await ended;
    expect(sent).toEqual([1]);
  });
});

async function openToken(life: Life): Promise<string> {
  for (;;) {
    const found = (await life.runtime.entries(RUN)).find(({ event }) => event.type === 'wait-start')?.event;
    if (found?.type === 'wait-start') return found.token;
    await turns(1);
  }
}
