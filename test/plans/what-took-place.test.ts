import { type Clock, type Outcome, type Run, type Seams, systemClock, type ToolRef } from 'flyball';
import type { PlanResult } from 'flyball/loops';
import { confirmTool } from 'flyball/people';
import type { PlanStep } from 'flyball/plans';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { RUN, Stage } from '../runtime/stage.js';
import { lastOf, type Note, planAgent, planText, recordedTools, runPlan, toolStep } from './stage-plan.js';

/** Tools that change something, and what they really did. */
function writers(...names: readonly string[]) {
  const did: string[] = [];
  const tools = names.map((name) =>
    tool({
      name,
      description: `Does ${name}. Not for anything else.`,
      effect: 'idempotent',
      input: { type: 'object', properties: { path: { type: 'string' } } },
      retry: { retries: 0 },
      simulate: () => `${name} would be done`,
      execute: async () => {
        did.push(name);
        return `${name} is done`;
      },
    }),
  ) as unknown as readonly ToolRef[];
  return { did, tools };
}

/** A response guard that shows nothing of what this tool gives back. */
function hiding(name: string): Seams {
  return {
    'tool.post': [
      (next) => async (value, context) => {
        if (value.tool.name === name) throw new Error('it holds an injection');
        return next(value, context);
      },
    ],
  };
}

describe('a required call whose result was refused', () => {
  it('is not made again in strict mode: the step fails with what the call failed with [R4-PLAN-STRICT]', async () => {
    const { did, tools } = writers('mail');
    const { outcome, result, model, notes } = await runPlan(
      { planner: planText([toolStep('send', 'mail')]), worker: [proposes('mail'), 'Sent.'] },
      { tools, seams: hiding('mail') },
    );
    expect(did).toEqual(['mail']);
    expect(model.requestsOf('worker')).toHaveLength(2);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_FAILED', detail: { tool: 'mail' } } });
    expect(result.records).toMatchObject([
      {
        status: 'failed',
        validationStatus: 'failed',
        attempts: 1,
        why: expect.stringContaining('mail took place, but its result was refused'),
        actualToolCalls: [{ tool: 'mail', ok: false, tookPlace: true, code: 'EFFECT_FAILED' }],
      },
    ]);
    expect(notes('step-validation')).toMatchObject([{ verdict: 'failed', missing: ['mail'] }]);
  });

  it('is a warning in advisory mode that says that it took place [R4-PLAN-ADVISORY]', async () => {
    const { did, tools } = writers('mail');
    const { outcome, notes } = await runPlan(
      {
        planner: planText([toolStep('send', 'mail', { toolValidationMode: 'advisory' })]),
        worker: [proposes('mail'), 'Sent.'],
      },
      { tools, seams: hiding('mail') },
    );
    expect(outcome.stop).toBe('done');
    expect(did).toEqual(['mail']);
    expect(notes('step-validation')).toMatchObject([
      { verdict: 'warned', why: expect.stringContaining('mail took place') },
    ]);
  });

  it('is told to whoever re-plans as something that took place', async () => {
    const { tools } = writers('mail');
    const { model } = await runPlan(
      {
        planner: planText([toolStep('send', 'mail')]),
        replanner: planText([{ id: 'tell', description: 'Tell that it was sent.' }]),
        worker: [proposes('mail'), 'Sent.', 'Told.'],
      },
      { tools, seams: hiding('mail') },
    );
    expect(model.promptAt('replanner')).toContain('mail {} (took place, its result was refused)');
  });

  it('is taken back when the plan fails [R4-PLAN-COMPENSATION]', async () => {
    const { did, tools } = writers('mail', 'unmail', 'other');
    const { result } = await runPlan(
      {
        planner: planText([
          toolStep('send', 'mail', {
            toolValidationMode: 'advisory',
            reversibility: 'idempotent',
            compensation: { tool: 'unmail', args: {} },
          }),
          toolStep('two', 'other'),
        ]),
        worker: [proposes('mail'), 'Sent.', 'No.'],
      },
      { tools, seams: hiding('mail'), execution: { maxReprompts: 0 } },
    );
    expect(did).toEqual(['mail', 'unmail']);
    expect(result.compensations).toMatchObject([{ step: 'send', tool: 'unmail', ok: true }]);
  });
});

describe('a required call that failed', () => {
  it('is asked for again, and nobody says that there was no call [R4-PLAN-STRICT]', async () => {
    let tries = 0;
    const shaky = tool({
      name: 'shaky',
      description: 'Fails the first time. Not for anything else.',
      effect: 'pure',
      retry: { retries: 0 },
      execute: async () => {
        tries++;
        if (tries === 1) throw new Error('no connection');
        return 'connected';
      },
    }) as unknown as ToolRef;
    const { outcome, model } = await runPlan(
      {
        planner: planText([toolStep('try', 'shaky')]),
        worker: [proposes('shaky'), 'It failed.', proposes('shaky'), 'Done.'],
      },
      { tools: [shaky] },
    );
    expect(outcome.stop).toBe('done');
    const told = lastOf(model, 'worker', 3);
    expect(told).toMatch(/What was called of the tool shaky failed/);
    expect(told).not.toMatch(/is not a call/);
  });

  it('is not asked for again once a person rejected it: that is why the step fails [R4-PLAN-STRICT]', async () => {
    const { tools } = recordedTools('mail');
    const gone = { ...tools[0], effect: { class: 'irreversible', why: 'it is gone' } } as unknown as ToolRef;
    const model = scriptedModel({
      planner: planText([toolStep('send', 'mail', { reversibility: 'irreversible' })]),
      worker: [proposes('mail'), 'They do not want it.'],
    });
    const life = new Stage<Clock>(systemClock()).open((run: Run) =>
      planAgent(model, { tools: [gone] })(run, 'Send it.'),
    );
    const waiting = await life.start();
    const token = waiting.stop === 'suspended' ? (waiting.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, { verdict: 'reject', reason: 'never' }, { from: 'ada' });
    expect(await life.resume()).toMatchObject({
      stop: 'failed',
      failure: { code: 'APPROVAL_REJECTED' },
      partial: { failedStep: 'send', records: [{ attempts: 1 }] },
    });
  });

  it('is not asked for again once a guard denied it', async () => {
    const { did, tools } = writers('mail');
    const denying: Seams = { 'tool.pre': [() => async () => ({ allow: false, why: 'not on Sundays' })] };
    const { outcome, model } = await runPlan(
      { planner: planText([toolStep('send', 'mail')]), worker: [proposes('mail'), 'Denied.'] },
      { tools, seams: denying },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'DENIED' } });
    expect(model.requestsOf('worker')).toHaveLength(2);
    expect(did).toEqual([]);
  });
});

describe('a result that no tool gave', () => {
  it('passes in a fork that only simulates, and both record and note say so [R4-PLAN-RECORDS]', async () => {
    const { did, tools } = writers('mail');
    const model = scriptedModel({
      planner: planText([toolStep('send', 'mail')]),
      worker: [proposes('mail'), 'Sent.', proposes('mail'), 'Sent.'],
    });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run: Run) => planAgent(model, { tools })(run, 'Send it.'));
    await life.start();
    expect(did).toEqual(['mail']);
    const seq = (await stage.entries()).findIndex(({ event }) => event.type === 'intent') - 1;
    const fork = await life.runtime.fork(RUN, { at: seq, id: 'fork' });
    const outcome = (await fork.outcome()) as Outcome<PlanResult>;
    expect(did).toEqual(['mail']);
    const [record] = outcome.stop === 'done' ? outcome.value.records : [];
    expect(record).toMatchObject({ validationStatus: 'passed' });
    expect(record?.actualToolCalls.at(-1)).toMatchObject({
      tool: 'mail',
      ok: true,
      tookPlace: false,
      standIn: 'simulated',
    });
    const notes = (await stage.events('note', 'fork')).map(({ event }) => event as Note);
    expect(notes.filter(({ kind }) => kind === 'step-validation')).toMatchObject([
      { step: 'send', verdict: 'stood-in', standIns: [{ tool: 'mail', standIn: 'simulated' }] },
    ]);
  });
});

describe('a plan that is cancelled', () => {
  const made = (more: Partial<PlanStep> = {}) =>
    toolStep('one', 'mk', { reversibility: 'idempotent', compensation: { tool: 'rm', args: { path: 'a' } }, ...more });

  async function cancelled(step: Partial<PlanStep>, worker: readonly string[]) {
    const { did, tools } = writers('mk', 'rm');
    const replies = worker.map((name) => (name.startsWith('!') ? proposes(name.slice(1)) : name));
    const model = scriptedModel({
      planner: planText([step, toolStep('ask', 'confirm')]),
      worker: [...replies, proposes('confirm', { prompt: 'Go on?' })],
    });
    const agent = planAgent(model, { tools: [...tools, confirmTool() as unknown as ToolRef] });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run: Run) => agent(run, 'Make it.'));
    expect((await life.start()).stop).toBe('suspended');
    life.die();
    const next = stage.open((run: Run) => agent(run, 'Make it.')); // learns it again from the journal
    await next.runtime.cancel(RUN, { by: 'ada' });
    const outcome = await next.resume();
    // what stands ready for a rollback is no action of the plan
    expect(outcome.acts?.map(({ name }) => name).filter((name) => name.startsWith('compensation'))).toEqual([]);
    return { did, entries: 'rollback' in outcome ? outcome.rollback?.entries : undefined };
  }

  it('says in the report of its rollback which compensations are left to a person [R8-REST-BOOKS]', async () => {
    const { did, entries } = await cancelled(made(), ['!mk', 'Made.']);
    expect(did).toEqual(['mk']); // a tool that a planner named is not run outside of governance
    expect(entries).toMatchObject([
      { name: 'mk', status: 'CANNOT_ROLLBACK' },
      {
        name: 'compensation of one',
        status: 'COMPENSATION_FAILED',
        note: expect.stringContaining('rm with {"path":"a"}: call it by hand'),
      },
    ]);
  });

  it('leaves nothing to a person where nothing took place', async () => {
    const { did, entries } = await cancelled(made({ toolValidationMode: 'advisory' }), ['I did nothing.']);
    expect(did).toEqual([]);
    expect(entries).toMatchObject([{ name: 'compensation of one', status: 'COMPENSATED' }]);
  });

  it('does not ask a person for what the plan has taken back itself', async () => {
    const { tools, did } = writers('mk', 'rm');
    const { outcome } = await runPlan(
      { planner: planText([made(), toolStep('two', 'rm')]), worker: [proposes('mk'), 'Made.', 'No.'] },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(did).toEqual(['mk', 'rm']);
    const entries = outcome.stop === 'failed' ? outcome.rollback?.entries : undefined;
    expect(entries?.find(({ name }) => name === 'compensation of one')).toMatchObject({ status: 'COMPENSATED' });
  });
});
