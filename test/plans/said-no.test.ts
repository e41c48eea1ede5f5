import { type Clock, type Outcome, type Run, systemClock, type ToolRef } from 'flyball';
import type { PlanResult } from 'flyball/loops';
import { askTool, confirmTool } from 'flyball/people';
import { type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { RUN, Stage } from '../runtime/stage.js';
import { type PlanOptions, planAgent, planText, thinking, toolStep } from './stage-plan.js';

const QUESTION = { prompt: 'Delete 12 records?' };

/** A plan whose first question gets this answer. */
async function answered(script: Script, answer: unknown, options: PlanOptions & { readonly delete?: ToolRef } = {}) {
  const ran: string[] = [];
  const remove =
    options.delete ??
    (tool({
      name: 'delete_records',
      description: 'Deletes records. Not for anything else.',
      effect: 'idempotent',
      input: { type: 'object', properties: {} },
      execute: async () => {
        ran.push('deleted');
        return 'deleted 12 records';
      },
    }) as unknown as ToolRef);
  const model = scriptedModel(script);
  const tools = options.tools ?? [confirmTool() as unknown as ToolRef, remove];
  const agent = planAgent(model, { ...options, tools }, 'replanner' in script);
  const stage = new Stage<Clock>(systemClock());
  const life = stage.open((run: Run) => agent(run, 'Delete old records.'), { options: { suspendAfterMs: 1 } });
  const asked = await life.start(null, { iterations: 100 });
  const token = asked.stop === 'suspended' ? asked.waiting[0]?.token : undefined;
  if (token === undefined) throw new Error(`Nobody was asked: ${JSON.stringify(asked)}`);
  await life.runtime.signal(RUN, token, answer, { from: 'ada' });
  const outcome = (await life.resume()) as Outcome<PlanResult>;
  const result = 'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined;
  return { outcome, records: result?.records ?? [], ran, model };
}

const ask = toolStep('ask', 'confirm');
const remove = toolStep('delete', 'delete_records', { dependsOn: ['ask'] });

function forced(model: ScriptedModel): readonly unknown[] {
  return model.requestsOf('worker').flatMap(({ toolChoice }) => (toolChoice === 'auto' ? [] : [toolChoice]));
}

describe('a person who says no to a step of a plan', () => {
  it('blocks the step and all that depends on it, and no call is forced [F-P1]', async () => {
    const { outcome, records, ran, model } = await answered(
      {
        planner: planText([ask, remove]),
        worker: [proposes('confirm', QUESTION), 'The user said no.'],
      },
      false,
    );
    expect(ran).toEqual([]);
    expect(forced(model)).toEqual([]);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'APPROVAL_REJECTED' } });
    expect(records).toMatchObject([
      { id: 'ask', status: 'blocked', actualToolCalls: [{ tool: 'confirm', declined: true }] },
    ]);
    model.assertFinished();
  });

  it('goes on with a yes as before', async () => {
    const { outcome, ran } = await answered(
      {
        planner: planText([ask, remove]),
        worker: [proposes('confirm', QUESTION), 'The user agreed.', proposes('delete_records'), 'Deleted.'],
      },
      true,
    );
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(ran).toEqual(['deleted']);
  });

  it('is heard in steps that nothing is checked in, and in advisory ones [F-P1]', async () => {
    for (const step of [thinking('ask'), toolStep('ask', 'confirm', { toolValidationMode: 'advisory' })]) {
      const { records, ran } = await answered(
        { planner: planText([step, remove]), worker: [proposes('confirm', QUESTION), 'The user said no.'] },
        false,
      );
      expect(records).toMatchObject([{ id: 'ask', status: 'blocked' }]);
      expect(ran).toEqual([]);
    }
  });

  it('holds back whatever the step would still change after the no [F-P1]', async () => {
    const { records, ran } = await answered(
      {
        planner: planText([ask]),
        worker: [
          proposesAll(call('confirm', QUESTION, '1'), call('delete_records', {}, '2')),
          proposes('delete_records', {}, '3'),
          'Deleted, sorry.',
        ],
      },
      false,
    );
    expect(ran).toEqual([]);
    expect(records).toMatchObject([
      { status: 'blocked', actualToolCalls: [{ declined: true }, { code: 'DENIED' }, { code: 'DENIED' }] },
    ]);
  });

  it('counts where any tool that asks says which answer is a no [F-P1]', async () => {
    const choose = askTool<{ readonly prompt: string }, string>({
      name: 'confirm',
      description: 'Asks.',
      widget: 'choose-one',
      input: { type: 'object', properties: { prompt: { type: 'string' } } },
      answer: { type: 'string' },
      prompt: ({ prompt }) => prompt,
      declines: (answer) => answer === 'stop',
    }) as unknown as ToolRef;
    const { records } = await answered(
      { planner: planText([ask]), worker: [proposes('confirm', QUESTION), 'They said stop.'] },
      'stop',
      { tools: [choose] },
    );
    expect(records).toMatchObject([{ status: 'blocked' }]);
  });

  it('decides a branch over the answer by code, not by a model [F-P1]', async () => {
    const branches = [
      { at: 'ask', observation: 'The user agrees.', decidedBy: 'answer', ifSo: ['delete'], ifNot: ['keep'] },
    ];
    for (const [answer, statuses, words] of [
      [false, ['done', 'skipped', 'done'], ['Kept.']],
      [true, ['done', 'done', 'skipped'], [proposes('delete_records'), 'Deleted.']],
    ] as const) {
      const { records, ran } = await answered(
        {
          planner: planText([ask, remove, thinking('keep', { dependsOn: ['ask'] })], {
            shape: 'conditional',
            branches,
          }),
          worker: [proposes('confirm', QUESTION), 'They answered.', ...words],
        },
        answer,
      );
      const byId = new Map(records.map(({ id, status }) => [id, status]));
      expect(['ask', 'delete', 'keep'].map((id) => byId.get(id))).toEqual(statuses);
      expect(ran).toEqual(answer ? ['deleted'] : []);
    }
  });

  it('is not overridden by the plan that is made after it: what changes something is not forced [F-P1]', async () => {
    const again = toolStep('delete', 'delete_records');
    const { outcome, ran, model } = await answered(
      {
        planner: planText([ask, remove]),
        replanner: planText([again]),
        worker: [proposes('confirm', QUESTION), 'The user said no.', 'The user said no, so I do not delete.'],
      },
      false,
      { execution: { maxReplans: 1 } },
    );
    expect(ran).toEqual([]);
    expect(forced(model)).toEqual([]);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'STEP_UNVERIFIED' } });
  });

  it('also where the no is to a call that had to be approved, whatever the step requires [F-P1]', async () => {
    const irreversible = tool({
      name: 'delete_records',
      description: 'Deletes records. Not for anything else.',
      effect: { class: 'irreversible', why: 'they are gone' },
      input: { type: 'object', properties: {} },
      execute: async () => 'deleted',
    }) as unknown as ToolRef;
    const { outcome, records } = await answered(
      {
        planner: planText([
          toolStep('delete', 'delete_records', { toolValidationMode: 'advisory', reversibility: 'irreversible' }),
          thinking('report', { dependsOn: ['delete'] }),
        ]),
        worker: [proposes('delete_records'), 'It was not approved.'],
      },
      { verdict: 'reject', reason: 'keep them' },
      { delete: irreversible },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'APPROVAL_REJECTED' } });
    expect(records).toMatchObject([{ id: 'delete', status: 'blocked' }]);
  });
});
