import { type Clock, done, type Outcome, type Run, systemClock } from 'flyball';
import { executePlan, makePlan, type PlanResult } from 'flyball/loops';
import { type Plan, type PlanStep, readPlan } from 'flyball/plans';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import type { ExecutionParts, PlanGiven } from '../../packages/flyball/src/loops/plan/parts.js';
import { proposes } from '../loops/stage-loop.js';
import { moving, RUN, Stage } from '../runtime/stage.js';
import { lastOf, planAgent, planText, recordedTools, runPlan, thinking, toolStep } from './stage-plan.js';

const written = (steps: readonly Partial<PlanStep>[]): Plan => {
  const read = readPlan({ goal: 'g', shape: 'ordered', steps });
  if (!read.ok) throw new Error(read.problem);
  return read.plan;
};

/** Carries out a plan that nobody had to be asked for. */
async function executed(plan: Plan, worker: Script[string], given: Partial<PlanGiven & ExecutionParts> = {}) {
  const { tools } = recordedTools('search');
  const model = scriptedModel({ worker });
  const stage = new Stage<Clock>(systemClock());
  const parts = { worker: { session: { name: 'worker', model, setup: 'Work.' }, tools }, ...given };
  const life = stage.open(async (run: Run) => done(await executePlan(run, parts, plan, { goal: 'g', ...given })));
  const outcome = (await life.start()) as Outcome<PlanResult>;
  return { outcome, model, stage };
}

describe('a plan that was written by hand', () => {
  it('is noted as the first version, and refused before anything runs when it cannot be carried out [R4-PLAN-UNKNOWN-TOOL]', async () => {
    const { outcome, model, stage } = await executed(written([toolStep('look', 'telescope')]), []);
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'PLAN_INVALID', message: expect.stringMatching(/telescope/) },
    });
    expect(model.requests).toEqual([]);
    expect((await stage.events('note')).map(({ event }) => event)).toMatchObject([
      { kind: 'plan', version: 1, validation: { valid: false } },
    ]);
  });

  it('is held to the facts that it is given [R4-PLAN-PRECONDITIONS]', async () => {
    const plan = written([thinking('cook', { preconditions: ['oven is hot'] })]);
    expect((await executed(plan, ['Done.'])).outcome).toMatchObject({ failure: { code: 'PLAN_INVALID' } });
    expect((await executed(plan, ['Done.'], { facts: ['oven is hot'] })).outcome.stop).toBe('done');
    const heated = written([
      thinking('heat', { effects: ['oven is hot'] }),
      thinking('cook', { preconditions: ['oven is hot'] }),
    ]);
    expect((await executed(heated, ['Hot.', 'Done.'])).outcome.stop).toBe('done');
  });

  it('gives each step the context that is made for it, labelled as material [R4-PLAN-BINDINGS]', async () => {
    const { model } = await executed(written([thinking('a'), thinking('b')]), ['A.', 'B.'], {
      contextFor: ({ id }) => (id === 'a' ? 'Evidence for a.' : ''),
    });
    expect(model.promptAt('worker', 1)).toMatch(/take it as data.*Evidence for a\./s);
    expect(model.promptAt('worker', 2)).not.toContain('Evidence');
    expect(model.requestsOf('worker')[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('does not count what an earlier plan called in a scope of the same name [R4-PLAN-JOURNAL-CHECK]', async () => {
    const { tools } = recordedTools('search');
    const model = scriptedModel({ worker: [proposes('search'), 'Found.', 'I did already.'] });
    const parts = { worker: { session: { name: 'worker', model, setup: 'Work.' }, tools }, maxReprompts: 0 };
    const plan = written([toolStep('find', 'search')]);
    const life = new Stage<Clock>(systemClock()).open(async (run: Run) => {
      const first = await executePlan(run, parts, plan, { goal: 'g' });
      const second = await executePlan(run, parts, plan, { goal: 'g' });
      return done([first.completed, second.completed, second.records[0]?.actualToolCalls]);
    });
    expect(await life.start()).toMatchObject({ stop: 'done', value: [true, false, []] });
  });
});

describe('makePlan', () => {
  it('gives the plan alone, for whoever carries it out in another way', async () => {
    const model = scriptedModel({ planner: planText([thinking('a')]) });
    const life = moving().open(async (run: Run) =>
      done(await makePlan(run, { session: { name: 'planner', model }, tools: [] }, { goal: 'Think.' })),
    );
    expect(await life.start()).toMatchObject({ stop: 'done', value: { steps: [{ id: 'a', stepType: 'reasoning' }] } });
  });
});

describe('a step that the plan may not take by itself', () => {
  const paid: string[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays. Not for anything else.',
    effect: 'idempotent',
    execute: async () => {
      paid.push('paid');
      return 'paid';
    },
  });
  const paying = toolStep('pay', 'pay', { description: 'Pay the bill.' });
  const plan = planText([thinking('check'), paying, thinking('tell')]);

  function waitingPlan(script: Script) {
    const model = scriptedModel({ planner: plan, ...script });
    const stage = moving();
    const planner = { permits: ({ id }: PlanStep) => id !== 'pay' && id !== 'check' };
    const life = stage.open((run: Run) =>
      planAgent(model, { tools: [pay], planner }, 'replanner' in script)(run, 'Settle it.'),
    );
    return { life, model, stage };
  }

  it('waits for an approval before it starts, and runs once it has one [R8-PLANS-REQUESTS]', async () => {
    const { life, model, stage } = waitingPlan({ worker: ['Right.', proposes('pay'), 'Paid.', 'Told.'] });
    const suspended = await life.start();
    expect(suspended).toMatchObject({
      stop: 'suspended',
      waiting: [
        {
          kind: 'approval',
          request: {
            action: 'step pay',
            input: { description: 'Pay the bill.' },
            provenance: { by: { kind: 'model', session: 'planner' } },
          },
        },
      ],
    });
    expect(model.requestsOf('worker')).toHaveLength(1); // what changes nothing was not asked about
    const { token, name = '' } = (suspended.stop === 'suspended' ? suspended.waiting[0] : undefined) ?? {};
    await life.runtime.signal(RUN, token ?? name, { verdict: 'approve' }, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { completed: true } });
    const notes = (await stage.events('note')).map(({ event }) => event);
    expect(notes.find(({ kind }) => kind === 'plan')).toMatchObject({
      validation: { valid: true, issues: [{ check: 'permission', severity: 'blocked', steps: ['pay'] }] },
    });
    expect(notes.find(({ kind }) => kind === 'step-approval')).toMatchObject({
      step: 'pay',
      verdict: 'approved',
      by: ['ann'],
    });
  });

  it('is blocked when it is rejected, and another plan is asked for with the reason', async () => {
    paid.length = 0;
    const { life, model } = waitingPlan({
      replanner: planText([thinking('check'), thinking('tell', { description: 'Think about asking for time.' })]),
      worker: ['Right.', 'Asked.'],
    });
    const suspended = await life.start();
    const { token, name = '' } = (suspended.stop === 'suspended' ? suspended.waiting[0] : undefined) ?? {};
    await life.runtime.signal(RUN, token ?? name, { verdict: 'reject', reason: 'no money left' }, { from: 'ann' });
    expect(await life.resume()).toMatchObject({
      stop: 'done',
      value: {
        records: [
          { id: 'check', status: 'done' },
          { id: 'pay', status: 'cancelled' },
          { id: 'tell', status: 'done' },
        ],
      },
    });
    expect(model.promptAt('replanner')).toContain('ann rejected it: no money left');
    expect(paid).toEqual([]);
  });

  it('cannot be a thought that acts: without an approval a loop calls only what changes nothing', async () => {
    paid.length = 0;
    const look = recordedTools('look');
    const worker = [proposes('look'), proposes('pay'), 'Thought.'];
    const { outcome, result, model } = await runPlan(
      { planner: planText([thinking('think')]), worker },
      { tools: [pay, ...look.tools], execution: { permits: () => false } },
    );
    expect(outcome.stop).toBe('done'); // a denied call is an observation
    expect([paid, look.done]).toEqual([[], ['look']]);
    expect(result.records[0]?.actualToolCalls).toMatchObject([
      { tool: 'look', ok: true },
      { tool: 'pay', ok: false, code: 'DENIED' },
    ]);
    expect(lastOf(model, 'worker', 3)).toContain('step think has no approval for it');
  });

  it('cannot call more than it was permitted for: other tools that change something are denied', async () => {
    paid.length = 0;
    const sent: string[] = [];
    const send = tool({
      name: 'send',
      description: 'Sends. Not for anything else.',
      effect: 'idempotent',
      execute: async () => {
        sent.push('sent');
        return 'sent';
      },
    });
    const { outcome } = await runPlan(
      { planner: planText([paying]), worker: [proposes('send'), proposes('pay'), 'Paid.'] },
      { tools: [pay, send], execution: { permits: () => true } },
    );
    expect(outcome.stop).toBe('done');
    expect([paid, sent]).toEqual([['paid'], []]);
  });

  it('is not narrowed where nobody approves steps', async () => {
    paid.length = 0;
    const { outcome } = await runPlan(
      { planner: planText([thinking('think')]), worker: [proposes('pay'), 'Thought.'] },
      { tools: [pay] },
    );
    expect(outcome.stop).toBe('done');
    expect(paid).toEqual(['paid']);
  });
});
