import { type Agent, budget, createRuntime, done, memoryEngine, type RunRef, type Runtime } from 'flyball';
import { supervised } from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import { removeRun } from './remove-run.js';

const order = { name: 'order', timeoutMs: 3_600_000 };

function desk() {
  const paid: string[] = [];
  const payer: Agent<string, string> = async (run, to) => {
    await run.step('pay', to, (one) => void paid.push(one), { class: 'irreversible', why: 'It is money.' });
    return done('paid');
  };
  const clerk: Agent<null, string> = async (run) => {
    const ref = await run.start('payer', await run.wait<string>(order), { slice: { share: 0.5 } });
    return done((await run.join(ref)).stop);
  };
  const listener: Agent<null, string> = async (run) => payer(run, await run.wait<string>(order));
  const relay: Agent<RunRef, string> = async (run, ref) => {
    await run.send(ref, 'order', await run.wait<string>(order));
    return done('sent');
  };
  const told: Agent<null, string> = async (run) => done(await run.wait<string>(order));
  const trusting: Agent<RunRef, string> = async (run, ref) => {
    const outcome = await run.join<string>(ref);
    return payer(run, outcome.stop === 'done' ? outcome.value : 'nobody');
  };
  const late: Agent<null, string> = async (run) => {
    await run.wait({ name: 'go' });
    return listener(run, null);
  };
  const trustingLater: Agent<RunRef, string> = async (run, ref) => {
    const outcome = await run.join<string>(ref);
    await run.wait({ name: 'go' });
    return payer(run, outcome.stop === 'done' ? outcome.value : 'nobody');
  };
  const stubborn: Agent<null, string> = async (run) => {
    await payer(run, 'tom').catch(() => undefined);
    return done((await run.join(await run.start('payer', 'tom', { slice: { share: 0.5 } }))).stop);
  };
  const sender: Agent<RunRef, string> = async (run, ref) => {
    await run.send(ref, 'order', 'tom');
    return done('sent');
  };
  const looker: Agent<RunRef, string> = async (run, ref) => done((await run.look(ref)).status);
  const digger: Agent<null, string> = async (run) =>
    done((await run.join(await run.start('digger', null, { slice: { share: 1 } }))).stop);
  const wide: Agent<null, string> = async (run) => {
    const ref = await run.start('payer', 'tom', {
      slice: { depth: 1_000, width: 1_000, wallMs: 1e10, deadline: 1e14 },
    });
    return done(ref.run);
  };
  const watched = supervised(clerk, {
    allow: ['pure', 'idempotent'],
    baseline: { suite: 'held-out', score: 1, minimum: 1, classes: ['pure', 'idempotent'] },
  });
  const others = { late, trustingLater, sender, looker, digger, wide, watched };
  const agents = { payer, clerk, listener, relay, told, trusting, stubborn, ...others };
  const engine = memoryEngine();
  return { paid, engine, runtime: createRuntime({ engine, agents }) };
}

const asking = (runtime: Pick<Runtime, 'handle'>, id: string) =>
  expect
    .poll(async () => {
      const outcome = await runtime.handle(id).outcome();
      return outcome.stop === 'suspended' ? outcome.waiting.find(({ kind }) => kind === 'approval')?.token : undefined;
    })
    .toBeTypeOf('string');

async function approving(runtime: Pick<Runtime, 'handle' | 'signal'>, id: string, from: string): Promise<string> {
  await asking(runtime, id);
  const outcome = await runtime.handle(id).outcome();
  const open = outcome.stop === 'suspended' ? outcome.waiting.find(({ kind }) => kind === 'approval') : undefined;
  return runtime.signal(id, open?.token ?? '', { verdict: 'approve' }, { from, scopes: ['*'] }).then(
    () => 'approved',
    (error: { readonly code: string }) => error.code,
  );
}

describe('people and runs that runs start', () => {
  it('whoever asked a run for an act does not approve it in the run that it starts [R11-N6-ASKERS]', async () => {
    const { runtime, paid } = desk();
    const handle = await runtime.start('clerk', null, { budget: budget(), subject: 'alice' });
    await runtime.signal(handle.id, 'order', 'tom', { from: 'mallory' });
    await expect.poll(async () => (await runtime.list()).runs.some(({ agent }) => agent === 'payer')).toBe(true);
    const started = (await runtime.list()).runs.find(({ agent }) => agent === 'payer')?.id ?? '';
    expect(await approving(runtime, started, 'mallory')).toBe('DENIED');
    expect(await approving(runtime, started, 'alice')).toBe('DENIED');
    expect(paid).toEqual([]);
    expect(await approving(runtime, started, 'grace')).toBe('approved');
    expect((await handle.finished()).stop).toBe('done');
    expect(paid).toEqual(['tom']);
    await runtime.close();
  });

  it('nor where its order was sent on, nor where its word was joined [R11-N6-ASKERS]', async () => {
    const { runtime, paid } = desk();
    const common = { budget: budget(), subject: 'alice' };
    const listener = await runtime.start('listener', null, common);
    const relay = await runtime.start('relay', { run: listener.id, agent: 'listener' }, common);
    await runtime.signal(relay.id, 'order', 'tom', { from: 'mallory' });
    expect(await approving(runtime, listener.id, 'mallory')).toBe('DENIED');
    const told = await runtime.start('told', null, common);
    await runtime.signal(told.id, 'order', 'tom', { from: 'mallory' });
    await told.finished();
    const trusting = await runtime.start('trusting', { run: told.id, agent: 'told' }, common);
    expect(await approving(runtime, trusting.id, 'mallory')).toBe('DENIED');
    expect(paid).toEqual([]);
    await runtime.close();
  });

  it.each(['prune', 'archive'] as const)(
    'nor after the runs in between were removed (%s), however many there were [R19-ASKERS-TRAVEL]',
    async (action) => {
      const { runtime, engine, paid } = desk();
      const common = { budget: budget(), subject: 'alice' };
      const late = await runtime.start('late', null, common);
      const second = await runtime.start('relay', { run: late.id, agent: 'late' }, common);
      const first = await runtime.start('relay', { run: second.id, agent: 'relay' }, common);
      const told = await runtime.start('told', null, common);
      await runtime.signal(first.id, 'order', 'tom', { from: 'mallory' });
      await runtime.signal(told.id, 'order', 'tom', { from: 'mallory' });
      for (const run of [first, second, told]) expect((await run.finished()).stop).toBe('done');
      const trusting = await runtime.start('trustingLater', { run: told.id, agent: 'told' }, common);
      await expect.poll(async () => (await trusting.outcome()).stop).toBe('suspended');
      for (const { id } of [first, second, told]) await removeRun(engine, id, action);
      for (const { id } of [late, trusting]) {
        await runtime.signal(id, 'go', null, { from: 'alice' });
        expect(await approving(runtime, id, 'mallory')).toBe('DENIED');
        const asked = (await runtime.entries(id)).flatMap(({ event }) => (event.type === 'wait-start' ? [event] : []));
        const { requesters } = asked.find(({ kind }) => kind === 'approval')?.needs ?? {};
        expect(requesters?.toSorted()).toEqual(['alice', 'mallory']);
      }
      expect(paid).toEqual([]);
      await runtime.close();
    },
  );

  it('a signal from outside names nobody else as those who asked [R19-ASKERS-TRAVEL]', async () => {
    const { runtime } = desk();
    const { id } = await runtime.start('listener', null, { budget: budget(), subject: 'alice' });
    const forged = { from: 'mallory', askers: ['grace'] };
    await runtime.signal(id, 'order', 'tom', forged);
    expect(await approving(runtime, id, 'mallory')).toBe('DENIED');
    expect(await approving(runtime, id, 'grace')).toBe('approved');
    await runtime.close();
  });

  it('a no stands in the runs that are started after it [R11-N6-NO]', async () => {
    const { runtime, paid } = desk();
    const handle = await runtime.start('stubborn', null, { budget: budget(), subject: 'alice' });
    await asking(runtime, handle.id);
    const outcome = await handle.outcome();
    const token = outcome.stop === 'suspended' ? (outcome.waiting[0]?.token ?? '') : '';
    await runtime.signal(handle.id, token, { verdict: 'reject', reason: 'No.' }, { from: 'grace', scopes: ['*'] });
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: 'failed' });
    expect(paid).toEqual([]);
    await runtime.close();
  });

  it('a supervised scope starts no run, whose acts it would not see [R11-N6-GUARDED]', async () => {
    const { runtime } = desk();
    const handle = await runtime.start('watched', null, { budget: budget(), subject: 'alice' });
    await runtime.signal(handle.id, 'order', 'tom', { from: 'bob' });
    expect(await handle.finished()).toMatchObject({ stop: 'failed', failure: { code: 'DENIED' } });
    expect((await runtime.list()).runs).toHaveLength(1);
    await runtime.close();
  });

  it('a started run has no larger limits, and a run that starts itself comes to an end [R11-N6-BUDGET]', async () => {
    const { runtime } = desk();
    const limits = { depth: 2, width: 2, wallMs: 1_000_000, deadline: 2e12 };
    const wide = await runtime.start('wide', null, { budget: budget(limits), subject: 'alice' });
    const { value } = (await wide.finished()) as unknown as { readonly value: string };
    const [first] = await runtime.entries(value);
    expect(first?.event).toMatchObject({ budget: { depth: 1, width: 2, wallMs: 1_000_000, deadline: 2e12 } });
    const digger = await runtime.start('digger', null, { budget: budget(limits), subject: 'alice' });
    await digger.finished();
    expect((await runtime.list()).runs.filter(({ agent }) => agent === 'digger')).toHaveLength(3);
    await runtime.close();
  });

  it.each(['run:alices', 'RUN:alices', 'run:elsewhere'])(
    'whoever is called like a run, as %s, approves nothing of their own, and hears of nobody in another tenant [R11-N6-ASKERS]',
    async (subject) => {
      const { runtime, paid } = desk();
      const common = { budget: budget(), subject: 'alice' };
      await (await runtime.start('told', null, { ...common, id: 'alices' })).outcome();
      await (await runtime.start('told', null, { ...common, id: 'elsewhere', tenant: 'other' })).outcome();
      const { id } = await runtime.start('payer', 'mallory', { budget: budget(), subject });
      expect(await approving(runtime, id, subject)).toBe('DENIED');
      const needs = (await runtime.entries(id)).flatMap(({ event }) =>
        event.type === 'wait-start' ? [event.needs] : [],
      );
      expect(needs).toEqual([expect.objectContaining({ requesters: [subject] })]);
      expect(paid).toEqual([]);
      await runtime.close();
    },
  );

  it('a run that somebody else put under its id is not the one it started [R11-N6-OWN]', async () => {
    const { runtime } = desk();
    const first = await runtime.start('wide', null, { id: 'order-77', budget: budget(), subject: 'alice' });
    const { value: id } = (await first.finished()) as unknown as { readonly value: string };
    await runtime.close();
    const other = desk().runtime;
    await other.start('told', null, { id, budget: budget(), subject: 'mallory' });
    const handle = await other.start('wide', null, { id: 'order-77', budget: budget(), subject: 'alice' });
    expect((await handle.finished()).stop).toBe('failed');
    await other.close();
  });

  it('a run of another subject cannot be looked at or sent to [R11-N6-TENANT]', async () => {
    const { runtime } = desk();
    const alice = await runtime.start('told', null, { budget: budget(), subject: 'alice' });
    for (const agent of ['looker', 'sender'] as const) {
      const ref = { run: alice.id, agent: 'told' };
      const handle = await runtime.start(agent, ref, { budget: budget(), subject: 'mallory' });
      expect(await handle.finished()).toMatchObject({ stop: 'failed', because: expect.stringContaining('no run') });
    }
    await runtime.close();
  });

  it('what was sent before a crash counts as sent, though the run that heard it has ended [R11-N6-SENT]', async () => {
    const { runtime } = desk();
    const common = { budget: budget(), subject: 'alice' };
    const told = await runtime.start('told', null, common);
    await runtime.signal(told.id, 'order', 'tom', { from: 'run:late', id: 'late:0:#0' });
    await told.finished();
    const ref = { run: told.id, agent: 'told' };
    expect((await (await runtime.start('sender', ref, { ...common, id: 'late' })).finished()).stop).toBe('done');
    expect((await (await runtime.start('sender', ref, { ...common, id: 'new' })).finished()).stop).toBe('failed');
    await runtime.close();
  });
});
