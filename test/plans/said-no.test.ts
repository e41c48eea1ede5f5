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

interface AnsweredOptions extends PlanOptions {
  readonly delete?: ToolRef;
  /** What the second question gets. */
  readonly second?: unknown;
}

const look = tool({
  name: 'look',
  description: 'Looks. Not for anything else.',
  effect: 'pure',
  input: { type: 'object', properties: {} },
  execute: async () => '12 records',
}) as unknown as ToolRef;

/** A plan whose first question gets this answer. */
async function answered(script: Script, answer: unknown, options: AnsweredOptions = {}) {
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
  const tools = options.tools ?? [confirmTool() as unknown as ToolRef, remove, look];
  const agent = planAgent(model, { ...options, tools }, 'replanner' in script);
  const stage = new Stage<Clock>(systemClock());
  const life = stage.open((run: Run) => agent(run, 'Delete old records.'), { options: { suspendAfterMs: 1 } });
  const asked = await life.start(null, { iterations: 100 });
  const token = asked.stop === 'suspended' ? asked.waiting[0]?.token : undefined;
  if (token === undefined) throw new Error(`Nobody was asked: ${JSON.stringify(asked)}`);
  await life.runtime.signal(RUN, token, answer, { from: 'ada' });
  let outcome = (await life.resume()) as Outcome<PlanResult>;
  const again = outcome.stop === 'suspended' ? outcome.waiting[0] : undefined;
  if (again !== undefined && options.second !== undefined) {
    await life.runtime.signal(RUN, again.token ?? '', options.second, { from: 'ada' });
    outcome = (await life.resume()) as Outcome<PlanResult>;
  }
  const result = 'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined;
  return { outcome, records: result?.records ?? [], ran, model, asked: again };
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

  it.each([
    ['under another name, without the question', [toolStep('tidy', 'delete_records')]],
    ['behind a thought in place of the question', [thinking('ask'), remove]],
    ['as part of another step', [toolStep('tidy', ['look', 'delete_records'])]],
  ])(
    'is asked anew when the plan that is made after it brings the change back %s [R8-TRUTH-NO]',
    async (_how, steps) => {
      const script = (words: Script['worker']) => ({
        planner: planText([ask, remove]),
        replanner: planText(steps, { shape: 'partial' }),
        worker: words,
      });
      const words = [proposes('confirm', QUESTION), 'The user said no.'];
      const thought = steps.length > 1 ? ['Thought.'] : [];
      const refused = await answered(script([...words, ...thought]), false, {
        execution: { maxReplans: 1 },
        second: { verdict: 'reject', reason: 'I said no' },
      });
      expect(refused.ran).toEqual([]);
      expect(forced(refused.model)).toEqual([]);
      expect(refused.asked).toMatchObject({ kind: 'approval', request: { why: expect.stringContaining('said no') } });
      expect(refused.outcome).toMatchObject({ stop: 'failed', failure: { code: 'APPROVAL_REJECTED' } });
      const doing = proposesAll(call('look', {}, 'l'), call('delete_records', {}, 'd'));
      const agreed = await answered(script([...words, ...thought, doing, 'Deleted.']), false, {
        second: { verdict: 'approve', reason: 'after all' },
      });
      expect(agreed.outcome).toMatchObject({ stop: 'done' });
      expect(agreed.ran).toEqual(['deleted']);
    },
  );

  it('lets the plan that is made after it look, but not change, what no step names [R8-TRUTH-NO]', async () => {
    const { ran, outcome, records } = await answered(
      {
        planner: planText([ask, thinking('act', { dependsOn: ['ask'] })]),
        replanner: planText([thinking('tidy')]),
        worker: [
          proposes('confirm', QUESTION),
          'The user said no.',
          proposesAll(call('look', {}, 'l'), call('delete_records', {}, 'd')),
          'Nothing was deleted.',
        ],
      },
      false,
    );
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(records.at(-1)).toMatchObject({ actualToolCalls: [{ tool: 'look', ok: true }, { code: 'DENIED' }] });
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
