import { type Clock, type Run, systemClock } from 'flyball';
import type { PlanStep } from 'flyball/plans';
import { scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { autonomyBudget } from '../../packages/flyball/src/tools/autonomy/index.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { RUN, Stage } from '../runtime/stage.js';
import { lastOf, planAgent, planText, recordedTools, runPlan, thinking, toolStep } from './stage-plan.js';

const DESCRIBED = 'I call search with the query "ledger" and it returns three results.';

describe('the prompt of a step', () => {
  it('insists on the invocation in a tool step, and does not mention it in a reasoning step [R4-PLAN-PROMPTS-DIFFER] [R4-SHOW-TAEF]', async () => {
    const { tools } = recordedTools('search');
    const { model } = await runPlan(
      {
        planner: planText([toolStep('find', 'search'), thinking('judge', { expectedOutcome: 'a verdict' })]),
        worker: [proposes('search'), 'Found.', 'Judged.'],
      },
      { tools },
    );
    const toolPrompt = model.promptAt('worker', 1);
    expect(toolPrompt).toMatch(/Call the tool search now/);
    expect(toolPrompt).toMatch(/To describe, announce or imagine a call is not to call/);
    expect(toolPrompt).toContain('It is done when: find is done');
    const reasoning = model.promptAt('worker', 3);
    expect(reasoning).toMatch(/Think it through/);
    expect(reasoning).toContain('It is done when: a verdict');
    expect(reasoning).not.toMatch(/\bcall|invoke|search/i);
  });

  it('holds the results that its bindings name and literals, and nothing else of the other steps [R4-PLAN-BINDINGS]', async () => {
    const { tools } = recordedTools('search');
    const { model, stage } = await runPlan(
      {
        planner: planText([
          toolStep('find', 'search', { description: 'Find the secret ledger.' }),
          thinking('other', { description: 'Ponder the weather.' }),
          thinking('judge', {
            bindings: { findings: { from: 'find' }, limits: { value: { most: 42 } } },
            dependsOn: ['find', 'other'],
          }),
        ]),
        worker: [proposes('search'), 'Ledger 2041 lies in the attic.', 'It rains.', 'Judged.'],
      },
      { tools },
    );
    const judge = model.promptAt('worker', 4);
    expect(judge).toContain('findings =\nLedger 2041 lies in the attic.');
    expect(judge).toContain('limits =\n{"most":42}');
    for (const foreign of ['Find the secret ledger.', 'Ponder the weather.', 'It rains.', 'search says'])
      expect(judge).not.toContain(foreign);
    const last = (await stage.events('ask-start')).at(-1);
    const links = await stage.engine.links('default', last?.tip ?? '');
    expect(links.at(-2)?.header.split('\u001f').slice(1, 4)).toEqual(['user', 'plan', 'outside']);
  });

  it('holds what people told the run before it started', async () => {
    const stage = new Stage<Clock>(systemClock());
    const model = scriptedModel({
      planner: planText([thinking('one'), thinking('two')]),
      worker: [
        async () => {
          await life.runtime.redirect(RUN, 'Use metric units.', { by: 'ann' });
          return 'One.';
        },
        'One, in metres.', // an answer that did not know what was said is not taken
        'Two.',
      ],
    });
    const life = stage.open((run: Run) => planAgent(model)(run, 'Measure it.'));
    expect((await life.start()).stop).toBe('done');
    expect(model.promptAt('worker', 1)).not.toContain('metric');
    expect(model.promptAt('worker', 3)).toMatch(/Think about two.*ann .*Use metric units\./s);
  });
});

describe('a tool step', () => {
  const one = (mode: PlanStep['toolValidationMode']) =>
    planText([toolStep('find', 'search', { toolValidationMode: mode })]);

  it('passes when the journal shows that its tools were called with success [R4-PLAN-JOURNAL-CHECK] [R4-PLAN-RECORDS] [R4-SHOW-TAEF]', async () => {
    const { tools, done } = recordedTools('search', 'store');
    const { outcome, result, notes, stage } = await runPlan(
      {
        planner: planText([toolStep('find', ['search', 'store'])]),
        worker: [proposesAll(call('search', { x: 'a' }, '1'), call('store', { x: 'b' }, '2')), 'Found and stored.'],
      },
      { tools },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['search a', 'store b']);
    const record = {
      id: 'find',
      status: 'done',
      validationStatus: 'passed',
      missingTools: [],
      result: 'Found and stored.',
      attempts: 1,
    };
    expect(result.records).toMatchObject([record]);
    const { actualToolCalls } = result.records[0] ?? { actualToolCalls: [] };
    expect(actualToolCalls.map(({ tool: name, ok }) => [name, ok])).toEqual([
      ['search', true],
      ['store', true],
    ]);
    // each names the effect in the journal that shows it
    const ended = (await stage.events('complete')).map(({ id }) => id);
    for (const { effect } of actualToolCalls) expect(ended).toContain(effect);
    expect(notes('step-end')).toMatchObject([{ ...record, actualToolCalls }]);
    expect(notes('step-start')).toMatchObject([{ step: 'find', stepType: 'tool', version: 1 }]);
  });

  it('whose model only describes the call fails in strict mode, after enforcing messages with a forced choice [R4-PLAN-DESCRIBED-NOT-CALLED] [R4-PLAN-STRICT] [R4-SHOW-TAEF]', async () => {
    const { tools, done } = recordedTools('search');
    const { outcome, result, model, notes } = await runPlan(
      { planner: one('strict'), worker: (_request, n) => `${DESCRIBED} (${n})` },
      { tools },
    );
    expect(done).toEqual([]);
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'STEP_UNVERIFIED', detail: { step: 'find', missing: ['search'] } },
      partial: { completed: false, failedStep: 'find' },
    });
    expect(result.records).toMatchObject([
      { status: 'failed', validationStatus: 'failed', missingTools: ['search'], actualToolCalls: [], attempts: 3 },
    ]);
    expect(model.requestsOf('worker').map(({ toolChoice }) => toolChoice)).toEqual([
      'auto',
      { tool: 'search' },
      { tool: 'search' },
    ]);
    expect(lastOf(model, 'worker', 2)).toMatch(/the journal shows no successful call of the tool search/);
    // the same conversation: what was said before is still there
    expect(model.promptAt('worker', 3)).toContain(`${DESCRIBED} (1)`);
    expect(model.promptAt('worker', 3)).toContain(`${DESCRIBED} (2)`);
    expect(notes('step-validation').map(({ verdict }) => verdict)).toEqual(['enforced', 'enforced', 'failed']);
  });

  it('whose model only describes the call is warned about in advisory mode, and the plan goes on [R4-PLAN-ADVISORY] [R4-SHOW-TAEF]', async () => {
    const { tools, done } = recordedTools('search');
    const { outcome, result, model, notes } = await runPlan(
      {
        planner: planText([toolStep('find', 'search', { toolValidationMode: 'advisory' }), thinking('judge')]),
        worker: [DESCRIBED, 'Judged.'],
      },
      { tools },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual([]);
    expect(result.records).toMatchObject([
      { id: 'find', status: 'done', validationStatus: 'failed', missingTools: ['search'], actualToolCalls: [] },
      { id: 'judge', status: 'done', validationStatus: 'skipped' },
    ]);
    expect(notes('step-validation')).toMatchObject([{ verdict: 'warned', step: 'find', missing: ['search'] }]);
    expect(model.requestsOf('worker')).toHaveLength(2);
  });

  it('goes on once the enforced call was made, and is forced for that one turn only [R4-PLAN-STRICT] [R4-SHOW-TAEF]', async () => {
    const { tools, done } = recordedTools('search');
    const { outcome, result, model } = await runPlan(
      { planner: one('strict'), worker: [DESCRIBED, proposes('search', { x: 'ledger' }), 'Found three.'] },
      { tools },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['search ledger']);
    expect(result.records).toMatchObject([
      { status: 'done', validationStatus: 'passed', attempts: 2, result: 'Found three.' },
    ]);
    expect(model.requestsOf('worker').map(({ toolChoice }) => toolChoice)).toEqual([
      'auto',
      { tool: 'search' },
      'auto',
    ]);
  });

  it('that lacks several tools is made to call one of them, and asked for what is still missing [R4-PLAN-STRICT]', async () => {
    const { tools, done } = recordedTools('search', 'store');
    const { outcome, model } = await runPlan(
      {
        planner: planText([toolStep('find', ['search', 'store'])]),
        worker: ['Done.', proposes('search'), 'Done.', proposes('store'), 'Really done.'],
      },
      { tools },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['search', 'store']);
    expect(model.requestsOf('worker').map(({ toolChoice }) => toolChoice)).toEqual([
      'auto',
      'required',
      'auto',
      { tool: 'store' },
      'auto',
    ]);
    expect(lastOf(model, 'worker', 4)).toMatch(/no successful call of the tool store/);
  });

  it('is asked again as often as is allowed, and not more [R4-PLAN-STRICT]', async () => {
    const { tools } = recordedTools('search');
    const { model } = await runPlan(
      { planner: one('strict'), worker: () => DESCRIBED },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(model.requestsOf('worker')).toHaveLength(1);
  });

  it('does not pass on a call that failed, nor on a call of the step before it [R4-PLAN-JOURNAL-CHECK]', async () => {
    const { tools } = recordedTools('search');
    const broken = tool({
      name: 'broken',
      description: 'Always fails. Not for anything else.',
      effect: 'pure',
      retry: { retries: 0 },
      execute: async () => {
        throw new Error('no connection');
      },
    }) as unknown as DefinedTool;
    const failing = await runPlan(
      { planner: planText([toolStep('try', 'broken')]), worker: [proposes('broken'), 'It worked.'] },
      { tools: [broken], execution: { maxReprompts: 0 } },
    );
    expect(failing.result.records).toMatchObject([
      { validationStatus: 'failed', missingTools: ['broken'], actualToolCalls: [{ tool: 'broken', ok: false }] },
    ]);
    const borrowed = await runPlan(
      {
        planner: planText([toolStep('first', 'search'), toolStep('second', 'search')]),
        worker: [proposes('search'), 'Found.', 'I searched already.'],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(borrowed.result.records).toMatchObject([
      { id: 'first', validationStatus: 'passed' },
      { id: 'second', status: 'failed', validationStatus: 'failed', actualToolCalls: [] },
    ]);
  });

  it('fails with the reason of its loop when that does not complete', async () => {
    const { tools } = recordedTools('search');
    const { outcome, result } = await runPlan(
      { planner: one('strict'), worker: (_request, n) => proposes('search', { x: String(n) }, `c${n}`) },
      { tools, worker: { config: { maxIterations: 2 } } },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'BOUND_REACHED' } });
    expect(result.records).toMatchObject([{ status: 'failed', why: expect.stringContaining('max_iterations') }]);
  });

  it('that uses up the budget of the run ends bounded, with what was done so far', async () => {
    const { tools } = recordedTools('search');
    const { outcome, result } = await runPlan(
      {
        planner: planText([thinking('one'), toolStep('two', 'search')]),
        worker: (_request, n) => (n === 1 ? 'One.' : proposes('search', { x: String(n) }, `c${n}`)),
      },
      { tools, limits: { iterations: 4 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 4 });
    expect(result.records).toMatchObject([
      { id: 'one', status: 'done' },
      { id: 'two', status: 'failed' },
    ]);
    expect(result).toMatchObject({ completed: false, bound: { name: 'iterations', limit: 4 } });
  });

  it('that an autonomy profile stops ends bounded too: no other plan would be allowed more', async () => {
    const { tools } = recordedTools('search');
    const { outcome, model } = await runPlan(
      {
        planner: one('strict'),
        replanner: () => one('strict'),
        worker: (_request, n) => proposes('search', { x: String(n) }, `c${n}`),
      },
      { tools, worker: { autonomy: autonomyBudget({ limits: { iterations: 2 } }) } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 2, partial: { failedStep: 'find' } });
    expect(model.requestsOf('replanner')).toHaveLength(0);
  });

  it('of a model that writes its calls as text is made to call by words alone', async () => {
    const { tools, done } = recordedTools('search');
    const calling = `\`\`\`tool_calls\n${JSON.stringify([{ name: 'search', arguments: {} }])}\n\`\`\``;
    const model = scriptedModel(
      { planner: one('strict'), worker: [DESCRIBED, calling, 'Found.'] },
      { capabilities: { tools: false } },
    );
    const { outcome } = await runPlan({}, { tools, model, worker: { config: { textCalls: 'json' } } });
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['search']);
    expect(lastOf(model, 'worker', 2)).toMatch(/the journal shows no successful call/);
    // a choice among tools that the request does not carry would be refused by a provider
    expect(model.requestsOf('worker').map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto']);
  });
});

describe('a plan from before steps had types', () => {
  it('runs unchanged: no step is checked, and tools can still be used [R4-PLAN-DEFAULT-REASONING] [R4-SHOW-TAEF]', async () => {
    const { tools, done } = recordedTools('search');
    const { outcome, result, model, notes } = await runPlan(
      {
        planner: JSON.stringify({
          goal: 'Look',
          steps: [
            { id: 'step_1', description: 'Execute the search tool.' },
            { id: 'step_2', description: 'Summarise.' },
          ],
        }),
        worker: [proposes('search'), 'Searched.', DESCRIBED],
      },
      { tools },
    );
    expect(outcome.stop).toBe('done');
    expect(done).toEqual(['search']);
    expect(result.records.map(({ validationStatus }) => validationStatus)).toEqual(['skipped', 'skipped']);
    expect(result.records[0]?.actualToolCalls).toMatchObject([{ tool: 'search', ok: true }]);
    expect(notes('step-validation')).toEqual([]);
    expect(model.promptAt('worker', 1)).not.toMatch(/This step needs real calls/);
    expect(result.output).toBe(DESCRIBED);
  });
});
