import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan, PlanChange, PlanStep } from 'flyball/plans';
import { applyChanges } from 'flyball/plans';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { lastOf, planText, recordedTools, runPlan, thinking, toolStep } from './stage-plan.js';

/** Real tools over a real CSV file, which count what they are made to do. */
function accounts() {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-plan-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const csv = join(folder, 'sales.csv');
  writeFileSync(csv, 'region,amount\nnorth,10\nsouth,20\nwest,30\n');
  const done: string[] = [];
  const common = { description: 'Works on the sales. Not for anything else.', retry: { retries: 0 } };
  const read = tool({
    ...common,
    name: 'read_csv',
    effect: 'pure',
    execute: async () => {
      done.push('read_csv');
      return readFile(csv, 'utf8');
    },
  });
  const sum = tool({
    ...common,
    name: 'sum',
    effect: 'pure',
    input: { type: 'object', properties: { column: { type: 'string' } }, required: ['column'] },
    execute: async ({ column }) => {
      done.push(`sum ${String(column)}`);
      const [head = '', ...rows] = (await readFile(csv, 'utf8')).trim().split('\n');
      const at = head.split(',').indexOf(String(column));
      if (at < 0) throw new Error(`there is no column ${String(column)}`);
      return rows.reduce((total, row) => total + Number(row.split(',')[at]), 0);
    },
  });
  const report = tool({
    ...common,
    name: 'report',
    effect: 'idempotent',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: async ({ text }) => {
      done.push('report');
      await writeFile(join(folder, 'report.txt'), String(text));
      return 'written';
    },
  });
  const tools = [read, sum, report] as unknown as readonly DefinedTool[];
  return { done, tools, reportText: () => readFileSync(join(folder, 'report.txt'), 'utf8') };
}

const reading = toolStep('read', 'read_csv');
const checking = thinking('check', { bindings: { rows: { from: 'read' } } });
const summing = (column: string) => toolStep('sum', 'sum', { description: `Sum the column ${column}.` });
const reporting = toolStep('report', 'report', { bindings: { total: { from: 'sum' } } });
const calls = (column: string) => [proposes('sum', { column }), `The sum of ${column}.`];

describe('a step that fails', () => {
  it('leads to a new plan with its difference noted, and what was done is not done again [R4-PLAN-CHANGES] [R4-PLAN-REPLAN-BOUND]', async () => {
    const { tools, done, reportText } = accounts();
    const { outcome, result, model, notes } = await runPlan(
      {
        planner: planText([reading, checking, summing('euros'), reporting]),
        replanner: planText([reading, checking, summing('amount'), reporting]),
        worker: [
          proposes('read_csv'),
          'Three rows.',
          'They look right.',
          ...calls('euros'),
          proposes('sum', { column: 'amount' }),
          'The sum is 60.',
          proposes('report', { text: 'Total: 60' }),
          'Reported.',
        ],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['read_csv', 'sum euros', 'sum amount', 'report']);
    expect(reportText()).toBe('Total: 60');
    expect(result.records.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'read done',
      'check done',
      'sum done',
      'report done',
    ]);
    const fields = { description: ['Sum the column euros.', 'Sum the column amount.'] };
    expect(result.revisions).toMatchObject([{ version: 2, changes: [{ change: 'edited', id: 'sum', fields }] }]);
    expect(notes('plan-change')).toMatchObject([
      { version: 2, because: expect.stringMatching(/step sum cannot be done/) },
    ]);
    expect(notes('plan').map(({ version }) => version)).toEqual([1, 2]);
    // the diff makes the second version out of the first
    const [first, second] = notes('plan').map(({ plan }) => plan as Plan);
    const { changes } = notes('plan-change')[0] as unknown as { changes: readonly PlanChange[] };
    expect(applyChanges(first as Plan, changes)).toEqual(second);
    // both tries of the step are in the journal
    expect(
      notes('step-end')
        .filter(({ id }) => id === 'sum')
        .map(({ status }) => status),
    ).toEqual(['failed', 'done']);
    const seen = model.promptAt('replanner');
    expect(seen).toMatch(/Step read: done.*Three rows\..*Step sum: failed/s);
    expect(lastOf(model, 'replanner', 1)).toMatch(
      /What went wrong: step sum cannot be done: sum was called and failed/,
    );
    model.assertFinished();
  });

  it('again and again ends the plan after three new plans, and it says so [R4-PLAN-REPLAN-BOUND]', async () => {
    const { tools, done } = accounts();
    const { outcome, model, result } = await runPlan(
      {
        planner: planText([reading, summing('c0')]),
        replanner: (_request, n) => planText([reading, summing(`c${n}`)]),
        worker: (request) => {
          const prompt = request.messages.map(({ content }) => content).join('\n');
          const column = /Sum the column (c\d)/.exec(prompt)?.[1];
          const hasCalled = request.messages.some(({ role }) => role === 'tool');
          if (hasCalled) return 'Done.';
          return column === undefined ? proposes('read_csv') : proposes('sum', { column });
        },
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(done).toEqual(['read_csv', 'sum c0', 'sum c1', 'sum c2', 'sum c3']);
    expect(model.requestsOf('replanner')).toHaveLength(3);
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'STEP_UNVERIFIED', message: expect.stringMatching(/revised 3 times, which is all it may be/) },
    });
    expect(result).toMatchObject({ completed: false, failedStep: 'sum' });
    expect(result.revisions.map(({ version }) => version)).toEqual([2, 3, 4]);
    expect(result.records.find(({ id }) => id === 'read')).toMatchObject({ status: 'done' });
  });

  it('may not come back unchanged, nor as the same thing under another name [R4-PLAN-REPLAN-BOUND]', async () => {
    const { tools, done } = accounts();
    const { outcome, model, notes } = await runPlan(
      {
        planner: planText([summing('euros')]),
        replanner: [
          planText([summing('euros')]),
          planText([{ ...summing('euros'), id: 'sum-again' }]),
          planText([summing('amount')]),
        ],
        worker: [...calls('euros'), ...calls('amount')],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['sum euros', 'sum amount']);
    expect(lastOf(model, 'replanner', 2)).toMatch(/not accepted: Step sum failed and comes back unchanged/);
    expect(lastOf(model, 'replanner', 3)).toMatch(/comes back unchanged as sum-again/);
    expect(notes('plan-refused')).toHaveLength(2);
  });

  it('ends the plan when no acceptable plan comes instead, within the bound of the replanner', async () => {
    const { tools } = accounts();
    const { outcome, model, result } = await runPlan(
      { planner: planText([summing('euros')]), replanner: () => planText([summing('euros')]), worker: calls('euros') },
      { tools, replanner: { maxRevisions: 1 }, execution: { maxReprompts: 0 } },
    );
    expect(model.requestsOf('replanner')).toHaveLength(2);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'PLAN_INVALID' } });
    expect(result.records).toMatchObject([{ id: 'sum', status: 'failed' }]);
  });

  it('ends the plan at once where nobody can write another one', async () => {
    const { tools } = accounts();
    const { outcome, result } = await runPlan(
      { planner: planText([summing('euros'), thinking('judge')]), worker: calls('euros') },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'STEP_UNVERIFIED' } });
    expect(result.records.map(({ id }) => id)).toEqual(['sum']);
  });
});

describe('a re-planning turn', () => {
  it('adds, edits and cancels steps, and every change is an event [R4-PLAN-CHANGES]', async () => {
    const { tools } = recordedTools('search', 'store');
    const first = [toolStep('find', 'search'), thinking('judge'), thinking('drop')];
    const second = [
      toolStep('look', 'store'),
      toolStep('find', 'search', { description: 'Find it elsewhere.' }),
      thinking('judge', { description: 'Think about judge, harder.' }),
    ];
    const { outcome, notes, result } = await runPlan(
      {
        planner: planText(first),
        replanner: planText(second),
        worker: ['No call.', proposes('store'), 'Stored.', proposes('search'), 'Found.', 'Judged.'],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome.stop).toBe('done');
    const { changes } = notes('plan-change')[0] as unknown as { changes: readonly PlanChange[] };
    expect(
      changes.map((change) => [change.change, 'id' in change ? change.id : 'step' in change ? change.step.id : '']),
    ).toEqual(
      expect.arrayContaining([
        ['cancelled', 'drop'],
        ['added', 'look'],
        ['edited', 'find'],
        ['edited', 'judge'],
      ]),
    );
    expect(notes('step-end').find(({ id }) => id === 'drop')).toMatchObject({ status: 'cancelled', attempts: 0 });
    expect(result.records.find(({ id }) => id === 'drop')).toMatchObject({ status: 'cancelled' });
    expect(notes('step-start').map(({ step, version }) => `${String(step)} ${String(version)}`)).toEqual([
      'find 1',
      'look 2',
      'find 2',
      'judge 2',
    ]);
  });

  it('cannot change or drop what is done: it is put back word for word [R4-PLAN-REPLAN-BOUND]', async () => {
    const { tools, done } = recordedTools('search', 'store');
    const finding = toolStep('find', 'search', { description: 'Find the ledger.' });
    const { outcome, result } = await runPlan(
      {
        planner: planText([finding, toolStep('save', 'store')]),
        replanner: [
          planText([
            { ...finding, description: 'Find it once more.' },
            toolStep('save', 'store', { description: 'Save it anew.' }),
          ]),
        ],
        worker: [proposes('search'), 'Found.', 'No call.', proposes('store'), 'Saved.'],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['search', 'store']);
    expect(result.plan.steps.map(({ description }) => description)).toEqual(['Find the ledger.', 'Save it anew.']);
  });

  it('keeps to what was observed: a branch is not decided a second time', async () => {
    const { tools } = recordedTools('search');
    const steps = (description: string) => [
      thinking('a'),
      toolStep('b', 'search', { dependsOn: ['a'], description }),
      thinking('c', { dependsOn: ['a'] }),
    ];
    const branches = [{ at: 'a', observation: 'it holds', ifSo: ['b'], ifNot: ['c'] }];
    const plan = (description: string) => planText(steps(description), { shape: 'conditional', branches });
    const { outcome, model, result } = await runPlan(
      {
        planner: plan('Do it.'),
        replanner: plan('Do it otherwise.'),
        worker: ['A.', 'No call.', proposes('search'), 'B.'],
        'worker-observer': JSON.stringify({ holds: true, because: 'so it is' }),
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome.stop).toBe('done');
    expect(model.requestsOf('worker-observer')).toHaveLength(1);
    expect(Object.fromEntries(result.records.map(({ id, status }) => [id, status]))).toEqual({
      a: 'done',
      b: 'done',
      c: 'skipped',
    });
  });
});

describe('a plan that is reviewed', () => {
  const plans = (description: string): Partial<PlanStep>[] => [thinking('a', { description })];

  it('and rejected runs no step: not one call of the worker', async () => {
    const { outcome, model, result } = await runPlan(
      { planner: planText(plans('Risk it.')), worker: [] },
      { execution: { reviewPlan: async () => ({ approve: false, notes: 'too risky' }) } },
    );
    expect(model.requestsOf('worker')).toHaveLength(0);
    expect(outcome).toMatchObject({ stop: 'blocked', because: expect.stringContaining('too risky') });
    expect(result).toMatchObject({ completed: false, records: [] });
  });

  it('is revised with the notes of the reviewer, and reviewed again before anything runs', async () => {
    const seen: string[] = [];
    const { outcome, model, notes } = await runPlan(
      { planner: planText(plans('Risk it.')), replanner: planText(plans('Play safe.')), worker: ['Done.'] },
      {
        execution: {
          reviewPlan: async (_run, { steps }) => {
            seen.push(steps[0]?.description ?? '');
            return seen.length === 1 ? { approve: false, notes: 'too risky' } : { approve: true };
          },
        },
      },
    );
    expect(outcome.stop).toBe('done');
    expect(seen).toEqual(['Risk it.', 'Play safe.']);
    expect(lastOf(model, 'replanner', 1)).toContain('too risky');
    expect(notes('plan-review').map(({ version, approve }) => [version, approve])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(model.requests.map(({ session }) => session)).toEqual(['planner', 'replanner', 'worker']);
  });
});
