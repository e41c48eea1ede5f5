import { type Clock, type Outcome, type Run, systemClock, type ToolRef } from 'flyball';
import type { PlanResult } from 'flyball/loops';
import { confirmTool } from 'flyball/people';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import type { Statement } from '../../packages/flyball/src/loops/plan/synthesis-check.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { RUN, Stage } from '../runtime/stage.js';
import { planAgent, planText, recordedTools, runPlan, thinking, toolStep } from './stage-plan.js';

const says = (...statements: readonly Statement[]) => JSON.stringify({ statements });
const statement = (kind: Statement['kind'], text: string, ...steps: readonly string[]): Statement => ({
  text,
  kind,
  steps,
});

/** Pays, or fails to. */
function payment(fails = false) {
  const paid: string[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays. Not for anything else.',
    effect: 'idempotent',
    retry: { retries: 0 },
    input: { type: 'object', properties: { euros: { type: 'number' } } },
    execute: async ({ euros }) => {
      if (fails) throw new Error('the bank is closed');
      paid.push(String(euros));
      return `paid ${String(euros)}`;
    },
  }) as unknown as ToolRef;
  return { pay, paid };
}

const PLAN = planText([
  toolStep('find', 'search'),
  toolStep('pay', 'pay', {
    reversibility: 'idempotent',
    toolValidationMode: 'advisory',
    compensation: { tool: 'pay', args: {} },
  }),
  thinking('judge'),
]);
const WORK: Script = {
  planner: PLAN,
  worker: [
    proposes('search', { x: 'invoice' }),
    'The invoice says 120.',
    proposes('pay', { euros: 120 }),
    'Paid 120.',
    'All in order.',
  ],
};
const GOOD = says(
  statement('found', 'The invoice asks for 120 EUR.', 'find'),
  statement('done', '120 EUR were paid.', 'pay'),
  statement('concluded', 'The case is closed.', 'judge'),
);

describe('the synthesis of a plan', () => {
  it('is one answer over all results, each statement with the steps it rests on [F-P3]', async () => {
    const { pay } = payment();
    const { outcome, result, model, notes } = await runPlan(
      { ...WORK, 'worker-synthesis': GOOD },
      { tools: [...recordedTools('search').tools, pay], execution: { synthesis: {} } },
    );
    expect(outcome.stop).toBe('done');
    expect(result.output).toBe('The invoice asks for 120 EUR.\n120 EUR were paid.\nThe case is closed.');
    expect(result.synthesis?.statements[1]).toEqual({ kind: 'done', text: '120 EUR were paid.', steps: ['pay'] });
    expect(notes('plan-synthesis')).toMatchObject([{ statements: [{ steps: ['find'] }, {}, {}] }]);
    const [request] = model.requestsOf('worker-synthesis');
    expect(request?.tools ?? []).toEqual([]); // nothing can be called any more
    const material = request?.messages.map(({ content }) => content).join('\n') ?? '';
    for (const part of ['search {"x":"invoice"} (changes nothing): succeeded', 'pay {"euros":120}', 'All in order.'])
      expect(material).toContain(part);
  });

  it('cannot say that something was done which no step did, and is told why [F-P3]', async () => {
    const { pay, paid } = payment(true);
    const honest = says(
      statement('found', 'The invoice asks for 120 EUR.', 'find'),
      statement('not-done', 'It was not paid: the bank is closed.', 'pay'),
    );
    const { outcome, result, model } = await runPlan(
      { ...WORK, 'worker-synthesis': [GOOD, honest] },
      { tools: [...recordedTools('search').tools, pay], execution: { synthesis: {} } },
    );
    expect(paid).toEqual([]);
    expect(outcome.stop).toBe('done');
    expect(result.output).toBe('The invoice asks for 120 EUR.\nIt was not paid: the bank is closed.');
    const again = model.requestsOf('worker-synthesis')[1]?.messages.at(-1)?.content ?? '';
    expect(again).toContain('statement 2 is "done" and names step pay, but the journal shows nothing that it changed');
    expect(again).toContain('no "not-done" statement names step pay, where pay did not succeed (EFFECT_FAILED)');
  });

  it.each([
    ['an act without a step that did it', says(statement('done', 'Paid.', 'find'))],
    ['a step that there is not', says(statement('found', 'Paid.', 'bank'))],
    ['nothing to rest on', JSON.stringify({ statements: [{ text: 'Paid.', kind: 'done', steps: [] }] })],
    ['that nothing was done where it was', says(statement('not-done', 'Nothing was paid.', 'pay'))],
    ['no statement', says()],
  ])('that goes on claiming %s is not given out, and the outcome is degraded [F-P3]', async (_what, reply) => {
    const { pay } = payment();
    const { outcome, result, model, notes } = await runPlan(
      { ...WORK, 'worker-synthesis': () => reply },
      { tools: [...recordedTools('search').tools, pay], execution: { synthesis: {} } },
    );
    expect(outcome).toMatchObject({ stop: 'degraded', because: expect.stringContaining('the journal bears out') });
    expect(result.output).toBe('All in order.'); // what the last step said
    expect(result.synthesis).toBeUndefined();
    expect(model.requestsOf('worker-synthesis')).toHaveLength(2); // the same reply twice ends it
    expect(notes('plan-synthesis')).toMatchObject([{ refused: expect.any(String) }]);
  });

  it('stops at a bound of the run like every step, and goes on from there [F-P3]', async () => {
    const { pay, paid } = payment();
    const model = scriptedModel({ ...WORK, 'worker-synthesis': GOOD });
    const tools = [...recordedTools('search').tools, pay];
    const agent = planAgent(model, { tools, execution: { synthesis: {} } });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run: Run) => agent(run, 'Pay it.'));
    expect(await life.start(null, { modelCalls: 6 })).toMatchObject({ stop: 'bounded', bound: 'modelCalls' });
    const end = (await life.resume({ budget: { modelCalls: 10 } })) as Outcome<PlanResult>;
    expect(end).toMatchObject({ stop: 'done', value: { output: expect.stringContaining('120 EUR were paid.') } });
    expect(paid).toEqual(['120']);
    model.assertFinished();
  });
});

describe('the record of a step', () => {
  it('has the arguments and the result of every call, as they were made [F-P3]', async () => {
    const { pay } = payment();
    const { result, notes } = await runPlan(WORK, { tools: [...recordedTools('search').tools, pay] });
    const calls = result.records.flatMap(({ actualToolCalls }) => actualToolCalls);
    expect(calls).toMatchObject([
      { tool: 'search', args: { x: 'invoice' }, result: 'search says invoice', ok: true },
      { tool: 'pay', args: { euros: 120 }, result: 'paid 120', ok: true },
    ]);
    expect(notes('step-end')[1]).toMatchObject({ actualToolCalls: [{ args: { euros: 120 } }] });
  });

  it('has why a call failed, and only the beginning of what is long [F-P3]', async () => {
    const { pay } = payment(true);
    const long = 'x'.repeat(9_000);
    const { result } = await runPlan(
      {
        ...WORK,
        worker: [proposes('search', { x: long }), 'Read.', proposes('pay', { euros: 1 }), 'No.', 'So be it.'],
      },
      { tools: [...recordedTools('search').tools, pay] },
    );
    const [search, paid] = result.records.flatMap(({ actualToolCalls }) => actualToolCalls);
    expect(search).toMatchObject({ argsCut: true, args: expect.stringMatching(/^\{"x":"xxx/) });
    expect(JSON.stringify(search).length).toBeLessThan(6_000);
    expect(paid).toMatchObject({
      ok: false,
      args: { euros: 1 },
      result: expect.stringContaining('the bank is closed'),
    });
  });
});

describe('a call beside a question', () => {
  const confirm = confirmTool() as unknown as ToolRef;
  const ask = call('confirm', { prompt: 'May I look?' }, 'q');

  async function beside(first: 'question' | 'look', answer: boolean) {
    const { tools, done } = recordedTools('look');
    const look = call('look', {}, 'l');
    const proposed = first === 'question' ? [ask, look] : [look, ask];
    const model = scriptedModel({ planner: planText([thinking('both')]), worker: [proposesAll(...proposed), 'Done.'] });
    const agent = planAgent(model, { tools: [confirm, ...tools] });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run: Run) => agent(run, 'Look.'), { options: { suspendAfterMs: 1 } });
    const asked = await life.start(null, { iterations: 100 });
    const before = [...done];
    const token = asked.stop === 'suspended' ? asked.waiting[0]?.token : undefined;
    await life.runtime.signal(RUN, token ?? '', answer, { from: 'ada' });
    await life.resume();
    return { before, after: done };
  }

  it('waits for the answer when it comes after the question, also if it changes nothing [F-P3]', async () => {
    expect(await beside('question', true)).toEqual({ before: [], after: ['look'] });
  });

  it('is made at once when it comes before the question, and only once [F-P3]', async () => {
    expect(await beside('look', true)).toEqual({ before: ['look'], after: ['look'] });
  });
});
