import { memoryStore } from 'flyball';
import { tool } from 'flyball/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { moving } from '../runtime/stage.js';
import { courseOf, criticised, judging, PLAN, phasesOf, resultOf, runCommit, TASK } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const ASKED = { task: { ...TASK, requiresApproval: true } };
const yes = { verdict: 'approve' } as const;

describe('an output that a person has to approve', () => {
  it('is shown with scores, reasons and ways out, and committed when they agree [R4-LOOP-HUMAN-MODIFY] [R4-EXIT-TRIGGERS]', async () => {
    const asked = await runCommit({}, ASKED);
    expect(asked.outcome).toMatchObject({
      stop: 'suspended',
      waiting: [
        {
          kind: 'approval',
          request: {
            action: 'commit',
            output: { artefacts: [{ text: 'Because of the moon.' }] },
            why: expect.stringContaining('task-requires-approval') as string,
            scores: { correctness: 1, composite: 1 },
            recommendation: 'approve',
            risk: 'medium',
          },
        },
      ],
    });
    const { outcome, stage } = await runCommit({}, { ...ASKED, people: [['ada', yes]] });
    expect(outcome).toMatchObject({ stop: 'done', value: { status: 'committed', provenance: { approvers: ['ada'] } } });
    expect((await courseOf(stage)).slice(-2)).toEqual(['VERIFY approved COMMIT', 'COMMIT committed COMMIT']);
  });

  it('fails with their reason when they reject it', async () => {
    const no = { verdict: 'reject', reason: 'we never say why' } as const;
    const { outcome, stage } = await runCommit({}, { ...ASKED, people: [['bob', no]] });
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: {
        code: 'QUALITY_NOT_REACHED',
        message: expect.stringContaining('we never say why') as string,
        detail: { report: { phase: 'VERIFY', partial: { artefacts: [{ text: 'Because of the moon.' }] } } },
      },
    });
    expect((await courseOf(stage)).at(-1)).toBe('VERIFY rejected FAIL');
  });

  it('is repaired by their words, verified again and asked about again [R4-LOOP-HUMAN-MODIFY]', async () => {
    const modify = { verdict: 'modify', value: 'Mention the sun.', reason: 'it matters' } as const;
    const first = await runCommit({}, { ...ASKED, people: [['ada', modify]] });
    expect(first.outcome).toMatchObject({
      stop: 'suspended',
      waiting: [
        {
          request: {
            output: { artefacts: [{ text: 'Because of the moon and the sun.' }] },
            history: [{ verdict: 'modify', by: 'ada' }],
          },
        },
      ],
    });
    expect((await phasesOf(first.stage)).slice(-2)).toEqual(['REPAIR', 'VERIFY']);
    expect(first.model.promptAt('repairer')).toContain('Mention the sun.\nit matters');
    const both = await runCommit(
      {},
      {
        ...ASKED,
        people: [
          ['ada', modify],
          ['ada', yes],
        ],
      },
    );
    expect(resultOf(both)).toMatchObject({
      outputs: { artefacts: [{ text: 'Because of the moon and the sun.' }] },
      provenance: { approvers: ['ada'], repairs: [{ description: 'Mention the sun.\nit matters', resolved: true }] },
    });
  });

  it('is replaced by what they wrote, word for word, and verified again [R4-LOOP-HUMAN-MODIFY]', async () => {
    const written = { verdict: 'modify', value: { artefacts: { answer: 'The moon, says Ada.' } } } as const;
    const run = await runCommit(
      {},
      {
        ...ASKED,
        people: [
          ['ada', written],
          ['bob', yes],
        ],
      },
    );
    expect(resultOf(run)).toMatchObject({
      outputs: { artefacts: [{ name: 'answer', text: 'The moon, says Ada.' }] },
      provenance: { repairs: [], approvers: ['bob'] },
    });
    expect(run.model.requestsOf('repairer')).toEqual([]);
    expect(run.model.promptAt('judge', 2)).toContain('The moon, says Ada.');
  });

  it('is not saved from the gates by who wrote it [R4-LOOP-HUMAN-MODIFY]', async () => {
    const written = { verdict: 'modify', value: { artefacts: { answer: 'Because it is so.' } } } as const;
    const run = await runCommit(
      {
        judge: judging((shown) => ({ correctness: shown.includes('it is so') ? 0.5 : 1 })),
        critic: () => criticised({ description: 'no cause is named' }),
      },
      { ...ASKED, people: [['ada', written]] },
    );
    expect((await courseOf(run.stage)).slice(6)).toEqual([
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR', 'REPAIR repaired VERIFY'],
    ]);
    expect(run.outcome.stop).toBe('suspended');
  });

  it('is heard even where evidence is missing that nobody can find [R4-LOOP-HUMAN-MODIFY]', async () => {
    const judge = judging(
      () => ({}),
      () => ['the price of salt'],
    );
    const modify = { verdict: 'modify', value: 'Mention the sun.' } as const;
    const run = await runCommit({ judge }, { ...ASKED, people: [['ada', modify]] });
    expect(run.model.promptAt('repairer')).toContain('Mention the sun.');
    expect(run.outcome).toMatchObject({ waiting: [{ request: { output: { artefacts: [{ text: /and the sun/ }] } } }] });
  });

  it('fails when nobody decides until the deadline: silence approves nothing', async () => {
    const stage = moving();
    const { outcome } = await runCommit({}, { ...ASKED, stage, stays: true, approval: { timeoutMs: 60_000 } });
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { message: expect.stringContaining('nobody decided in time') as string },
    });
    expect((await stage.events('wait-end'))[0]).toMatchObject({ timedOut: true });
  });

  it('may be modified as often as allowed, and is then refused', async () => {
    const modify = { verdict: 'modify', value: 'Again.' } as const;
    const { outcome } = await runCommit(
      {},
      {
        ...ASKED,
        approval: { maxModifications: 9 },
        limits: { maxModifications: 1 },
        people: [
          ['ada', modify],
          ['ada', modify],
        ],
      },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxModifications', limit: 1 });
  });
});

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
      critic: () => criticised({ description: 'it tells a secret' }),
    });
    expect(model.requestsOf('repairer').length).toBeGreaterThan(0);
    expect(outcome).toMatchObject({
      stop: 'suspended',
      waiting: [{ request: { risk: 'critical', recommendation: 'reject' } }],
    });
  });
});
