import { budget, done, type Run, type Seams, type ToolRef } from 'flyball';
import { describe, expect, it } from 'vitest';
import { answer, at, eventsOf, type Life, moving, RUN } from './stage.js';

const YES = { verdict: 'approve' } as const;
const NOT_DONE = { happened: false } as const;
const DESK = ['desk'];

/** Pays, and does not know whether it did until it is made for the third time. */
function payer(approval: ToolRef['approval'], effect: ToolRef['effect'] = { class: 'irreversible', why: 'money' }) {
  const paid: unknown[] = [];
  const pay: ToolRef = {
    name: 'pay',
    description: 'Pays.',
    effect,
    ...(approval === undefined ? {} : { approval }),
    execute: async (args: unknown) => {
      paid.push(args);
      if (paid.length < 3) throw Object.assign(new Error('connection lost'), { inDoubt: true });
      return 'paid';
    },
  };
  const agent = async (run: Run) => done((await run.call(pay, { to: 'ada' })).content);
  return { paid, agent };
}

async function begun(life: Life, subject = 'ada'): Promise<unknown> {
  return (await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject })).outcome();
}

async function needsOf(life: Life, name: string): Promise<unknown> {
  return eventsOf(await life.runtime.entries(RUN), 'wait-start').findLast((wait) => wait.name === name)?.needs;
}

describe('a doubt about what somebody had to approve', () => {
  it('is settled only by somebody who could have approved it, and so is every further one [R7-APPROVE-DOUBTS]', async () => {
    const { paid, agent } = payer({ scopes: DESK, people: 2 });
    const life = moving().open(agent);
    await begun(life);
    await answer(life.runtime, RUN, 'approve:#0', YES, { from: 'dina', scopes: DESK });
    await life.resume();
    await answer(life.runtime, RUN, 'approve:#0.2', YES, { from: 'dora', scopes: DESK });
    for (const [nth, name] of ['doubt:#0', 'doubt:#0:2'].entries()) {
      expect(await life.resume()).toMatchObject({ waiting: [{ kind: 'doubt', name }] });
      expect(paid).toHaveLength(nth + 1);
      for (const who of [
        { from: 'ada' },
        { from: 'ada', scopes: DESK },
        { from: 'bob' },
        { from: 'anonymous', scopes: DESK },
      ])
        await expect(answer(life.runtime, RUN, name, NOT_DONE, who)).rejects.toMatchObject({ code: 'DENIED' });
      await answer(life.runtime, RUN, name, NOT_DONE, { from: 'dina', scopes: DESK });
    }
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'paid' });
    expect(paid).toHaveLength(3);
  });

  it('goes to whoever it was escalated to [R7-APPROVE-DOUBTS]', async () => {
    const { agent } = payer({ scopes: DESK, escalation: [{ to: 'the head', scopes: ['head'] }] });
    const life = moving().open(agent);
    await begun(life);
    await answer(
      life.runtime,
      RUN,
      'approve:#0',
      { verdict: 'escalate', reason: 'much' },
      { from: 'di', scopes: DESK },
    );
    await life.resume();
    await answer(life.runtime, RUN, 'approve:#0.2', YES, { from: 'hal', scopes: ['head'] });
    await life.resume();
    expect(await needsOf(life, 'doubt:#0')).toEqual({ scopes: ['head'], notBy: [], requesters: ['ada'] });
  });

  it('asks for what a guard asked for, also in the life after a crash [R7-APPROVE-DOUBTS]', async () => {
    const undo = { class: 'undoable', timeoutMs: 1_000, compensate: async () => undefined } as const;
    const { agent } = payer(undefined, undo);
    const seams: Seams = {
      'tool.pre': [
        (next) => async (call, context) => {
          const verdict = await next(call, context);
          return verdict.allow ? { ...verdict, approval: 'it is much', approvalRules: { scopes: DESK } } : verdict;
        },
      ],
    };
    const stage = moving();
    const first = stage.open(agent, { seams, crash: at('after', 'intent') });
    await begun(first);
    await answer(first.runtime, RUN, 'approve:#0', YES, { from: 'dina', scopes: DESK });
    void first.resume();
    await first.crashed;
    first.die();
    const life = stage.open(agent, { seams });
    expect(await life.resume()).toMatchObject({ waiting: [{ kind: 'doubt', name: 'doubt:#0' }] });
    expect(await needsOf(life, 'doubt:#0')).toEqual({ scopes: DESK, notBy: [], requesters: ['ada'] });
  });

  it.each(['in the same life', 'after a crash'])(
    'is about what the act was modified to, and that is what is made again, %s [R7-APPROVE-DOUBTS]',
    async (when) => {
      const { paid, agent } = payer({ scopes: DESK });
      const stage = moving();
      const isCrash = when === 'after a crash';
      const first = stage.open(agent, isCrash ? { crash: at('after', 'intent') } : {});
      const desk = { from: 'dina', scopes: DESK };
      await begun(first);
      await answer(first.runtime, RUN, 'approve:#0', { verdict: 'modify', value: { to: 'bob' } }, desk);
      await first.resume();
      await answer(first.runtime, RUN, 'approve:#0.2', YES, desk);
      const resumed = first.resume();
      if (isCrash) {
        await first.crashed;
        first.die();
      } else await resumed;
      const life = isCrash ? stage.open(agent) : first;
      for (const name of isCrash ? ['doubt:#0', 'doubt:#0:2', 'doubt:#0:3'] : ['doubt:#0', 'doubt:#0:2']) {
        expect(await life.resume()).toMatchObject({
          waiting: [{ kind: 'doubt', name, request: { action: 'pay', input: { to: 'bob' } } }],
        });
        const stranger = answer(life.runtime, RUN, name, NOT_DONE, { from: 'bob' });
        await expect(stranger).rejects.toMatchObject({ code: 'DENIED' });
        await answer(life.runtime, RUN, name, NOT_DONE, desk);
      }
      expect(await life.resume()).toMatchObject({ stop: 'done', value: expect.stringMatching(/to":"bob.*\npaid$/) });
      expect(paid).toEqual([{ to: 'bob' }, { to: 'bob' }, { to: 'bob' }]);
    },
  );

  it('may be settled by whoever asked for the run where they may decide [R7-APPROVE-DOUBTS]', async () => {
    const { agent } = payer({ requesterDecides: true });
    const life = moving().open(agent);
    await begun(life);
    await answer(life.runtime, RUN, 'approve:#0', YES, { from: 'ada' });
    await life.resume();
    expect(await needsOf(life, 'doubt:#0')).toBeUndefined();
  });
});

describe('a doubt about what nobody had to approve', () => {
  it('is settled by anybody, and also by whoever asked for the run [R7-APPROVE-DOUBTS]', async () => {
    const { paid, agent } = payer(undefined, { class: 'undoable', compensate: async () => undefined });
    const life = moving().open(agent);
    await begun(life);
    expect(await needsOf(life, 'doubt:#0')).toBeUndefined();
    await answer(life.runtime, RUN, 'doubt:#0', { happened: true, result: 'seen' }, { from: 'ada' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'seen' });
    expect(paid).toHaveLength(1);
  });
});
