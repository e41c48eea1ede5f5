import { memoryStore, type Store } from 'flyball';
import { beforeAll, describe, expect, it } from 'vitest';
import { moving } from '../runtime/stage.js';
import { courseOf, criticized, judging, notesOf, phasesOf, resultOf, runCommit, TASK } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const ASKED = { task: { ...TASK, requiresApproval: true } };
const yes = { verdict: 'approve' } as const;

/** What was learned about the worth of repairs. */
async function outcomesIn(store: Store): Promise<unknown> {
  const shelf = { tenant: 'default', owner: 'anonymous', collection: 'commit-lessons' };
  const [lesson] = (await store.query(shelf)).records;
  return (lesson?.value as { readonly outcomes: unknown } | undefined)?.outcomes;
}

describe('an output that a person has to approve', () => {
  it('is shown with scores, reasons and ways out, and committed when they agree [R8-PLANS-REQUESTS] [R4-LOOP-HUMAN-MODIFY] [R4-EXIT-TRIGGERS]', async () => {
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
            provenance: { by: { kind: 'model', session: 'worker' } },
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
        critic: () => criticized({ description: 'no cause is named' }),
      },
      { ...ASKED, people: [['ada', written]] },
    );
    expect((await courseOf(run.stage)).slice(6)).toEqual([
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR', 'REPAIR repaired VERIFY'],
    ]);
    expect(run.outcome.stop).toBe('suspended');
  });

  it('is told its words once: what is wrong afterwards is repaired for itself [R4-LOOP-HUMAN-MODIFY]', async () => {
    const modify = { verdict: 'modify', value: 'Be brief.' } as const;
    const run = await runCommit(
      {
        judge: judging((shown) => ({
          correctness: shown.includes('It is so') && !shown.includes('gone from what was made: Be brief.') ? 0.6 : 1,
        })),
        critic: () => criticized({ description: 'no cause is named' }),
        repairer: ({ messages }) => (JSON.stringify(messages).includes('Be brief.') ? 'It is so.' : 'The moon.'),
      },
      { ...ASKED, people: [['ada', modify]] },
    );
    const repairs = await notesOf(run.stage, 'repair');
    expect(repairs.map(({ description }) => description)).toEqual(['Be brief.', 'no cause is named']);
    expect(run.outcome).toMatchObject({ waiting: [{ request: { output: { artefacts: [{ text: 'The moon.' }] } } }] });
  });

  it('is a new start for a loop that had given up [R4-LOOP-HUMAN-MODIFY]', async () => {
    const written = { verdict: 'modify', value: { artefacts: { answer: 'Better.' } } } as const;
    const store = memoryStore();
    const run = await runCommit(
      {
        judge: judging((shown) => ({
          correctness: shown.includes('and the sun') ? 1 : shown.includes('Better.') ? 0.79 : 0.5,
        })),
        critic: () => criticized({ description: 'no cause is named' }),
      },
      {
        store,
        expectedError: 0,
        limits: { maxRepairs: 1 },
        people: [
          ['ada', written],
          ['ada', yes],
        ],
      },
    );
    expect((await courseOf(run.stage)).filter((told) => told.startsWith('REPAIR'))).toEqual([
      ...['REPAIR modified REPAIR', 'REPAIR repaired VERIFY', 'REPAIR repaired VERIFY'],
    ]);
    expect(resultOf(run).outputs.artefacts[0]?.text).toContain('and the sun');
    // what the person changed says nothing about what a repair is worth
    expect(await outcomesIn(store)).toMatchObject([{ before: expect.closeTo(0.84), after: expect.closeTo(1) }]);
  });

  it('is not taken for a repair when it follows one in the same phase [R4-CONTROL-GAIN]', async () => {
    const written = { verdict: 'modify', value: { artefacts: { answer: 'The moon, says Ada.' } } } as const;
    const store = memoryStore();
    const run = await runCommit(
      {
        judge: judging((shown) => ({ correctness: shown.includes('says Ada') ? 1 : 0.6 })),
        critic: () => criticized({ description: 'vague', line: 1 }, { description: 'wrong' }),
        repairer: () => 'Because of the moon.', // a repair that leaves everything as it was
      },
      {
        store,
        parts: (session) => ({ repair: { session: session('repairer'), budget: { attempts: 1 } } }),
        people: [
          ['ada', written],
          ['ada', yes],
        ],
      },
    );
    expect((await notesOf(run.stage, 'repair')).length).toBe(1);
    expect(resultOf(run).outputs.artefacts[0]?.text).toBe('The moon, says Ada.');
    expect(await outcomesIn(store)).toEqual([]);
  });

  it('is shown to them again, whatever its scores are by then, and says in its provenance who wanted what [R4-LOOP-HUMAN-MODIFY] [R4-COMMIT-RECORD]', async () => {
    const script = {
      // fair at first, so that somebody is asked; then without fault, so that nobody had to be
      judge: judging((shown) => (shown.includes('and the sun') ? {} : { correctness: 0.9, coherence: 0.8 })),
    };
    const modify = { verdict: 'modify', value: 'Mention the sun.', reason: 'it matters' } as const;
    const asked = await runCommit(script, { exit: { novelty: 1, pAuto: 0.98 }, people: [['ada', modify]] });
    expect(asked.outcome).toMatchObject({
      stop: 'suspended',
      waiting: [{ request: { why: expect.stringContaining("changed on a person's word") as string } }],
    });
    const people = [['ada', modify] as const, ['bob', yes] as const];
    const run = await runCommit(script, { exit: { novelty: 1, pAuto: 0.98 }, people });
    expect(resultOf(run).provenance).toMatchObject({
      approvers: ['bob'],
      decisions: [
        { verdict: 'modify', by: 'ada', reason: 'it matters' },
        { verdict: 'approve', by: 'bob' },
      ],
    });
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
