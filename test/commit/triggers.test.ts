import { memoryStore } from 'flyball';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { criticized, judging, PLAN, runCommit, TASK } from './stage-commit.js';

const yes = { verdict: 'approve' } as const;

describe('a person is asked without anybody deciding so', () => {
  it('about the first task of a class, and not about the next one like it [R4-EXIT-TRIGGERS]', async () => {
    const store = memoryStore();
    const first = await runCommit({}, { store, exit: {} });
    expect(first.outcome).toMatchObject({ waiting: [{ request: { why: expect.stringContaining('novel-task') } }] });
    const task = { ...TASK, id: 'tide-2', goal: `${TASK.goal} Again.` };
    await runCommit({}, { store, exit: {}, people: [['ada', yes]] });
    const like = await runCommit({}, { store, exit: {}, task });
    expect(like.outcome.stop).toBe('done');
    const other = { id: 'salt-1', goal: 'Price of salt?', requirements: [], taskClass: TASK.taskClass };
    expect((await runCommit({}, { store, exit: {}, task: other })).outcome.stop).toBe('suspended');
    const elsewhere = { ...task, taskClass: 'poem' };
    expect((await runCommit({}, { store, exit: {}, task: elsewhere })).outcome.stop).toBe('suspended');
  });

  it('about a plan with a step that cannot be taken back [R4-EXIT-TRIGGERS]', async () => {
    const plan = JSON.parse(PLAN) as { readonly steps: readonly object[] };
    const steps = plan.steps.map((step) => ({ ...step, reversibility: 'irreversible' }));
    const { outcome } = await runCommit({ planner: () => JSON.stringify({ ...plan, steps }) });
    expect(outcome).toMatchObject({
      waiting: [{ request: { risk: 'high', why: expect.stringContaining('irreversible-mutation') } }],
    });
  });

  it('about a call that cannot be taken back, whatever the plan said of it [R4-EXIT-TRIGGERS]', async () => {
    const send = tool({
      name: 'send',
      description: 'Sends a letter. Not for notes.',
      effect: 'irreversible',
      timeoutMs: 1000,
      execute: async () => 'sent',
    });
    const { outcome } = await runCommit(
      {
        worker: ({ messages }) =>
          messages.some(({ role }) => role === 'tool') ? 'Sent, by the moon.' : proposes('send'),
      },
      {
        parts: (session) => ({ execution: { worker: { session: session('worker'), tools: [send] } } }),
        people: [['ada', yes]], // to the call itself
      },
    );
    expect(outcome).toMatchObject({
      waiting: [{ request: { why: expect.stringContaining('irreversible-mutation') } }],
    });
  });

  it('about an unsafe output, which is repaired first [R4-EXIT-TRIGGERS]', async () => {
    const { outcome, model } = await runCommit({
      judge: judging(() => ({ safety: 0.96 })),
      critic: () => criticized({ description: 'it tells a secret' }),
    });
    expect(model.requestsOf('repairer').length).toBeGreaterThan(0);
    expect(outcome).toMatchObject({
      stop: 'suspended',
      waiting: [{ request: { risk: 'critical', recommendation: 'reject' } }],
    });
  });
});
