import { done, memoryStore, type Run } from 'flyball';
import { approvalInbox, requestsIn } from 'flyball/people';
import { describe, expect, it } from 'vitest';
import { OpenWaits } from '../../packages/flyball/src/cli/chat/open-waits.js';
import { waitsIn } from '../../packages/flyball/src/core/waits.js';
import { RunFold } from '../../packages/server/src/feed/run-fold.js';
import { approvalsOf } from '../../packages/studio/src/gates/fold-approvals.js';
import { at, moving, RUN } from '../runtime/stage.js';

const agent = async (run: Run) =>
  done(
    await run.step('pay', 10, () => 'paid', {
      class: 'undoable',
      timeoutMs: 1_000,
      compensate: async () => undefined,
    }),
  );

/** A run whose process died between saying that it will pay and saying that it did. */
async function doubted() {
  const stage = moving();
  await stage.crashed(agent, at('after', 'intent'));
  const life = stage.open(agent);
  const inbox = approvalInbox({ runtime: life.runtime, store: memoryStore(), clock: stage.clock });
  await (await life.runtime.wake(RUN)).outcome();
  await new Promise<void>((resolve) => stage.clock.after(60_000, resolve));
  await (await life.runtime.wake(RUN)).outcome();
  return { stage, life, inbox };
}

describe('a doubt', () => {
  it('is in the inbox with what it is about, is counted there, and is answered there [F-O2]', async () => {
    const { life, inbox } = await doubted();
    const { items } = await inbox.list({ status: 'open' });
    expect(items).toMatchObject([{ run: RUN, kind: 'doubt', about: 'pay', request: { input: 10 } }]);
    expect(await inbox.metrics()).toMatchObject({ open: 1, verdicts: 0 });
    const [{ id = '' } = {}] = items;
    await expect(inbox.decide(id, { verdict: 'approve' }, { by: 'ada', scopes: ['*'] })).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
    });
    await inbox.answer(id, { happened: true, result: 'seen on the statement' }, { by: 'ada', scopes: ['*'] });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'seen on the statement' });
    expect(await inbox.metrics()).toMatchObject({ open: 0 });
    expect((await inbox.get(id))?.decision).toMatchObject({ by: 'ada', value: { happened: true } });
  });
});

describe('what is open', () => {
  it('is the same wherever one looks: after a cancellation, and after a child was cut off [F-K4] [F-O2]', async () => {
    const asks = (run: Run) => run.step('pay', 1, () => 'paid', { class: 'irreversible', why: 'money' });
    const cancelled = moving().open(async (run: Run) => done(await asks(run)));
    await cancelled.start();
    await cancelled.runtime.cancel(RUN);
    expect(await (await cancelled.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'cancelled' });
    expect(lookedAt(await cancelled.runtime.entries(RUN))).toEqual(NOBODY);

    const stage = moving();
    const cut = stage.open(async (run: Run) => {
      await run.spawn(async (own: Run) => done(await asks(own)), null, { deadline: run.now() + 100 });
      return done(await run.wait({ name: 'message' }));
    });
    await cut.start();
    await new Promise<void>((resolve) => stage.clock.after(101, resolve));
    expect(await (await cut.runtime.wake(RUN)).outcome()).toMatchObject({ waiting: [{ name: 'message' }] });
    expect(lookedAt(await cut.runtime.entries(RUN))).toEqual({ ...NOBODY, index: ['message'], chat: ['message'] });

    const { life } = await doubted();
    expect(lookedAt(await life.runtime.entries(RUN))).toEqual({
      index: ['doubt:#0'],
      inbox: ['doubt:#0'],
      studio: ['pay'],
      chat: ['doubt:#0'],
      server: 1,
    });
  });
});

const NOBODY = { index: [], inbox: [], studio: [], chat: [], server: 0 };

function lookedAt(entries: Awaited<ReturnType<ReturnType<typeof moving>['entries']>>) {
  const chat = new OpenWaits();
  const server = new RunFold(RUN, { keepsNames: false });
  for (const entry of entries) {
    chat.apply(entry);
    server.apply(entry);
  }
  return {
    index: waitsIn(entries).flatMap(({ status, start }) => (status === 'open' ? [start.name] : [])),
    inbox: requestsIn(RUN, entries).flatMap(({ status, name }) => (status === 'open' ? [name] : [])),
    studio: approvalsOf(entries).flatMap(({ status, action }) => (status === 'waiting' ? [action] : [])),
    chat: entries.flatMap(({ event }) =>
      event.type === 'wait-start' && chat.get(event.id) !== undefined ? [event.name] : [],
    ),
    server: server.asks,
  };
}
