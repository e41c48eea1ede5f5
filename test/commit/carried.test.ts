import type { Outcome } from 'flyball';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CaseRunner } from '../../packages/flyball/src/checks/case-runner.js';
import { courseOf, criticized, judging, notesOf, resultOf, runCommit, type sessionsOf, TASK } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema');
});

const yes = { verdict: 'approve' } as const;

function whyAsked(outcome: Outcome<unknown>): string {
  const request = outcome.stop === 'suspended' ? outcome.waiting[0]?.request : undefined;
  return String((request as { readonly why?: unknown } | undefined)?.why);
}

/** Scores are fine once it was repaired; whether a finding is gone is answered by itself. */
function lenient(isGone: (shown: string) => boolean) {
  const scores = judging((shown) => ({ correctness: shown.includes('Draft 0') ? 0.6 : 1 }));
  return (...asked: Parameters<typeof scores>) => {
    const shown = asked[0].messages.map(({ content }) => content).join('\n');
    if (!shown.includes('gone from what was made')) return scores(...asked);
    return JSON.stringify({ reasoning: 'Looked.', yes: isGone(shown) });
  };
}

const DRAFTS = {
  worker: () => 'Draft 0.',
  critic: () => criticized({ description: 'the sun is missing' }),
  repairer: (_request: unknown, n: number) => `Draft ${n}.`,
};

describe('what a critic found and no repair resolved', () => {
  it('is put before a person, although every gate is open [R4-REPAIR-REVERIFY] [R4-EXIT-TRIGGERS]', async () => {
    const script = { ...DRAFTS, judge: lenient(() => false) };
    const run = await runCommit(script);
    expect((await courseOf(run.stage)).at(-1)).toBe('REPAIR repaired VERIFY');
    expect(whyAsked(run.outcome)).toContain('still found: the sun is missing');
    const { outcome } = await runCommit(script, { people: [['ada', yes]] });
    expect(outcome).toMatchObject({ stop: 'done', value: { provenance: { approvers: ['ada'] } } });
  });

  it('holds nothing up once it is gone', async () => {
    let asked = 0;
    const run = await runCommit({ ...DRAFTS, judge: lenient(() => ++asked > 1) }); // not in REPAIR, but in VERIFY
    expect(await notesOf(run.stage, 'repair')).toMatchObject([{ resolved: false }]);
    expect(asked).toBe(2);
    expect(run.outcome.stop).toBe('done');
  });

  it('is looked for again in the next round, once, although its critic is silent by then', async () => {
    const judge = judging((shown) => ({ correctness: shown.includes('Draft 3') ? 1 : 0.6 }));
    const run = await runCommit({
      ...DRAFTS,
      judge,
      critic: (_request, n) => (n === 1 ? criticized({ description: 'the sun is missing' }) : criticized()),
    });
    const second = (await notesOf(run.stage, 'repair')).slice(2).map(({ description }) => description);
    expect(second.filter((each) => each === 'the sun is missing').length).toBeGreaterThan(0);
    const again = await runCommit({ ...DRAFTS, judge });
    const [, diagnosis] = (await notesOf(again.stage, 'phase')).filter(({ event }) => event === 'diagnosed');
    expect(diagnosis?.['why']).toBe('2 defects'); // what the critic says again is one finding, and the rubric's is another
  });
});

describe('an edge case that was executed and fails', () => {
  /** The case passes for texts of which this holds. */
  function adverse(passes: (text: string) => boolean) {
    const runner: CaseRunner = {
      describe: 'calls it',
      artefact: 'answer',
      runCase: async (run, { outputs }) =>
        run.step(
          'case',
          { text: outputs.artefacts[0]?.text ?? '' },
          async ({ text }) =>
            passes(text) ? { ran: true as const, ok: true } : { ran: true as const, ok: false, actual: 'returned 7' },
          'pure',
        ) as ReturnType<CaseRunner['runCase']>,
    };
    return (session: ReturnType<typeof sessionsOf>) => ({
      critic: { session: session('critic'), adversary: { session: session('adversary'), runner } },
    });
  }
  const zero = {
    name: 'zero',
    input: '[0]',
    expected: { returns: '0', throws: null },
    dimension: 'correctness',
    severity: 0.9,
  };
  const script = {
    ...DRAFTS,
    judge: judging((shown) => ({ correctness: shown.includes('Draft 0') ? 0.6 : 1 })),
    critic: () => criticized(),
    adversary: () => JSON.stringify({ cases: [zero] }),
  };

  it('keeps the loop from leaving, whatever the judge says [R4-CRITIC-ADVERSARY]', async () => {
    const run = await runCommit(script, { parts: adverse(() => false) });
    const failed = (await notesOf(run.stage, 'phase')).filter(({ event }) => event === 'gates-failed');
    expect(failed.length).toBeGreaterThan(1);
    expect(failed[1]?.['why']).toMatch(/executed cases still fail: An edge case fails: zero/);
    expect(await courseOf(run.stage)).not.toContain('VERIFY gates-passed COMMIT');
  });

  it('lets it leave once it passes', async () => {
    const run = await runCommit(script, { parts: adverse((text) => text === 'Draft 3.') });
    expect(resultOf(run).outputs.artefacts[0]?.text).toBe('Draft 3.');
  });

  it('is executed again on what is made anew after more was looked for [R4-CRITIC-ADVERSARY]', async () => {
    const retriever = { name: 'shelf', retrieve: async () => [] };
    const run = await runCommit(
      {
        ...script,
        worker: (_request, n) => `Draft ${n - 1}.`,
        critic: (_request, n) =>
          n === 1 ? criticized({ description: 'solar gravity is not covered', cause: 'retrieval-gap' }) : criticized(),
      },
      { retriever, parts: adverse((text) => text !== 'Draft 0.' && text !== 'Draft 1.') },
    );
    const course = await courseOf(run.stage);
    expect(course.slice(6, 10)).toEqual([
      ...[
        'REPAIR retrieval-gap RETRIEVE',
        'RETRIEVE retrieved ACT',
        'ACT acted VERIFY',
        'VERIFY gates-failed CRITIQUE',
      ],
    ]);
    const [, second] = (await notesOf(run.stage, 'phase')).filter(({ event }) => event === 'gates-failed');
    expect(second?.['why']).toMatch(/executed cases still fail/);
  });
});

describe('what a person wanted and no repair brought', () => {
  it('is said when they are asked again [R4-LOOP-HUMAN-MODIFY]', async () => {
    const run = await runCommit(
      { ...DRAFTS, worker: () => 'Draft 9.', judge: lenient(() => false) },
      {
        task: { ...TASK, requiresApproval: true },
        people: [['ada', { verdict: 'modify', value: 'Mention the sun.' }]],
      },
    );
    expect(whyAsked(run.outcome)).toContain('still found: Mention the sun.');
  });
});
