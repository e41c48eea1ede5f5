import type { Clock, Outcome, Run, StandardSchema, Tool, ToolRef } from 'flyball';
import { systemClock } from 'flyball';
import type { PlanResult } from 'flyball/loops';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type TemporaryFile,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { RUN, Stage } from '../runtime/stage.js';
import { planAgent, planText, recordedTools, thinking, toolStep } from './stage-plan.js';

const yesOrNo: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value === 'boolean' ? { value } : { issues: [{ message: 'yes or no' }] }),
  },
};

const confirm: Tool<{ readonly what: string }, boolean> = {
  name: 'displayConfirmation',
  description: 'Asks a person to confirm. Not for anything else.',
  effect: 'pure',
  asks: ({ what }) => ({ widget: 'confirm', prompt: what, answer: yesOrNo, answerJsonSchema: { type: 'boolean' } }),
  execute: async () => {
    throw new Error('a question is never executed');
  },
};

/** A life of its own over the same file: nothing is shared with the one before but what is stored. */
async function life(file: TemporaryFile, model: ScriptedModel, tools: readonly ToolRef[]) {
  const engine = await file.open();
  const stage = new Stage<Clock>(systemClock(), engine);
  const opened = stage.open((run: Run) => planAgent(model, { tools })(run, 'Release it.'), {
    options: { suspendAfterMs: 1 },
  });
  const close = async (): Promise<void> => {
    opened.die();
    await engine.close();
  };
  return { ...opened, close };
}

const plan = planText([toolStep('check', ['search', 'displayConfirmation']), thinking('conclude')]);

describe('a plan that waits for a person', () => {
  it('counts the calls made before the suspension after it, in another runtime over the same file [R4-PLAN-SUSPENSION-COUNTS] [R4-SHOW-TAEF]', async () => {
    const file = temporaryFile();
    onTestFinished(() => file.remove());
    const before = recordedTools('search');
    const asking = scriptedModel({
      planner: plan,
      worker: [proposesAll(call('search', { x: 'log' }, '1'), call('displayConfirmation', { what: 'Release?' }, '2'))],
    });
    const first = await life(file, asking, [...before.tools, confirm]);
    const suspended = await first.start();
    expect(suspended).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'question' }] });
    const token =
      suspended.stop === 'suspended' ? (suspended.waiting[0]?.token ?? suspended.waiting[0]?.name) : undefined;
    await first.close();

    const after = recordedTools('search');
    const concluding = scriptedModel({ worker: ['Checked and confirmed.', 'All good.'] });
    const second = await life(file, concluding, [...after.tools, confirm]);
    await second.runtime.signal(RUN, token ?? '', true, { from: 'ann' });
    const outcome = (await second.resume()) as Outcome<PlanResult>;
    await second.close();

    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        completed: true,
        records: [
          {
            id: 'check',
            validationStatus: 'passed',
            missingTools: [],
            actualToolCalls: [
              { tool: 'search', ok: true },
              { tool: 'displayConfirmation', ok: true },
            ],
            attempts: 1,
          },
          { id: 'conclude', validationStatus: 'skipped' },
        ],
      },
    });
    expect(before.done).toEqual(['search log']);
    expect(after.done).toEqual([]); // it was not called again
    concluding.assertFinished(); // nothing was asked twice either
  });

  it('is really asked, also when the model would rather describe the question [R4-PLAN-DESCRIBED-NOT-CALLED] [R4-SHOW-TAEF]', async () => {
    const file = temporaryFile();
    onTestFinished(() => file.remove());
    const model = scriptedModel({
      planner: planText([toolStep('ask', 'displayConfirmation')]),
      worker: [
        'I show the confirmation, and the user agrees.',
        proposes('displayConfirmation', { what: 'Release?' }),
        'The user agreed.',
      ],
    });
    const only = await life(file, model, [confirm]);
    const suspended = await only.start();
    expect(suspended).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'question' }] });
    expect(model.requestsOf('worker').at(-1)?.toolChoice).toEqual({ tool: 'displayConfirmation' });
    const { token, name = '' } = (suspended.stop === 'suspended' ? suspended.waiting[0] : undefined) ?? {};
    await only.runtime.signal(RUN, token ?? name, true, { from: 'ann' });
    expect(await only.resume()).toMatchObject({
      stop: 'done',
      value: { records: [{ validationStatus: 'passed', attempts: 2, result: 'The user agreed.' }] },
    });
    await only.close();
  });
});
