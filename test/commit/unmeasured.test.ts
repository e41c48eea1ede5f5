import type { Outcome } from 'flyball';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestHarness } from '../../packages/flyball/src/checks/contracts.js';
import { moving } from '../runtime/stage.js';
import { courseOf, criticized, judging, notesOf, runCommit, type sessionsOf } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const yes = { verdict: 'approve', reason: 'It will do.' } as const;
const fair = judging(() => ({}));

/** A judge that is asked once each time. */
function judged(session: ReturnType<typeof sessionsOf>) {
  return { verification: { judge: { session: { ...session('judge'), maxReasks: 0 } } } };
}

function whyAsked(outcome: Outcome<unknown>): string {
  const request = outcome.stop === 'suspended' ? outcome.waiting[0]?.request : undefined;
  return String((request as { readonly why?: unknown } | undefined)?.why);
}

describe('a judge that cannot be read', () => {
  it('is asked again in place: nothing is repaired, and the controller learns nothing from it [R4-LOOP-RETRY]', async () => {
    const run = await runCommit(
      { judge: (...asked) => (asked[1] === 1 ? 'no idea' : fair(...asked)), critic: () => criticized() },
      { parts: judged },
    );
    expect((await courseOf(run.stage)).slice(4, 6)).toEqual(['VERIFY retry VERIFY', 'VERIFY gates-passed COMMIT']);
    expect(await notesOf(run.stage, 'control')).toMatchObject([{ error: 0, decision: { kind: 'met' } }]);
    expect(await notesOf(run.stage, 'repair')).toEqual([]);
    expect(run.outcome.stop).toBe('done');
  });

  it('is followed by the prediction that a first measurement is due, however late it comes [R4-CONTROL-PREDICT]', async () => {
    const weak = judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.6 }));
    const run = await runCommit(
      {
        judge: (...asked) => (asked[1] === 1 ? 'no idea' : weak(...asked)),
        critic: () => criticized({ description: 'the sun is missing' }),
      },
      { parts: judged },
    );
    expect((await notesOf(run.stage, 'prediction')).map(({ error }) => error)).toEqual([0.3, expect.closeTo(0.35)]);
  });

  it('leads to a person when it stays so, and their yes opens no gate: it is less than was asked for [R4-EXIT-GATES]', async () => {
    const script = { judge: () => 'no idea' };
    const asked = await runCommit(script, { parts: judged });
    expect((await courseOf(asked.stage)).filter((told) => told.startsWith('VERIFY'))).toEqual(
      Array.from({ length: 3 }, () => 'VERIFY retry VERIFY'),
    );
    expect(whyAsked(asked.outcome)).toMatch(/^rubric could not be scored/);
    expect(asked.outcome).toMatchObject({ waiting: [{ request: { recommendation: 'reject' } }] });
    expect(await notesOf(asked.stage, 'control')).toEqual([]);
    const { outcome } = await runCommit(script, { parts: judged, people: [['ada', yes]] });
    expect(outcome).toMatchObject({
      stop: 'degraded',
      value: { status: 'partial', missing: [expect.stringContaining('rubric could not be scored')] },
    });
  });
});

describe('claims that cannot be checked', () => {
  const retriever = {
    name: 'shelf',
    retrieve: async (query: string) => [
      {
        id: 'e1',
        text: 'Of the moon.',
        source: 's',
        place: 'p',
        query,
        score: 1,
        authority: true,
        trust: 'outside' as const,
      },
    ],
  };
  const claiming = (session: ReturnType<typeof sessionsOf>) => ({
    verification: { judge: { session: session('judge') }, claims: { session: { ...session('claims'), maxReasks: 0 } } },
  });

  it('are looked for again, then put before a person: no repair helps against it [R4-EXIT-GATES]', async () => {
    const run = await runCommit({ claims: () => 'no idea' }, { retriever, parts: claiming });
    expect((await courseOf(run.stage)).slice(4)).toEqual([
      ...Array.from({ length: 3 }, () => 'VERIFY retry VERIFY'),
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR'],
    ]);
    expect(whyAsked(run.outcome)).toMatch(/could not be measured/);
    expect(run.model.requestsOf('repairer')).toEqual([]);
  });

  it('are no finding beside what was measured: that is repaired [R4-EXIT-GATES]', async () => {
    const run = await runCommit(
      {
        claims: () => 'no idea',
        judge: judging((shown) => ({ completeness: shown.includes('and the sun') ? 1 : 0.75 })), // above the minimum
      },
      { retriever, parts: claiming },
    );
    expect((await notesOf(run.stage, 'repair')).map(({ defect }) => defect)).toEqual(['gate-completeness']);
    expect(whyAsked(run.outcome)).toMatch(/could not be measured/);
  });

  it('for want of evidence are not asked about again [R4-EXIT-GATES]', async () => {
    const nothing = { name: 'shelf', retrieve: async () => [] };
    const run = await runCommit({ claims: () => 'no idea' }, { retriever: nothing, parts: claiming });
    expect((await courseOf(run.stage)).slice(4)).toEqual([
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR'],
    ]);
    expect(whyAsked(run.outcome)).toMatch(/could not be measured/);
  });
});

describe('tests that cannot be run at all', () => {
  it('are tried again, and are no reason to change anything: then a person is asked [R4-VERIFY-TESTS] [R4-EXIT-GATES]', async () => {
    const report = { passed: 0, failed: 0, skipped: 0, failures: [], passing: [], known: [], regressions: [], ms: 1 };
    const broken: TestHarness = {
      level: 'unit',
      command: 'npm test',
      runTests: async () => ({ ...report, level: 'unit', command: 'npm test', problem: 'no sandbox', blocked: true }),
    };
    const run = await runCommit(
      { critic: () => criticized({ description: 'a comma is missing', severity: 0.1 }) },
      { parts: (session) => ({ verification: { judge: { session: session('judge') }, tests: [broken] } }) },
    );
    expect((await courseOf(run.stage)).filter((line) => line === 'VERIFY retry VERIFY')).toHaveLength(3);
    expect(run.model.requestsOf('repairer')).toEqual([]);
    expect(whyAsked(run.outcome)).toMatch(/could not be measured/);
  });
});

describe('a gate that is closed without a finding', () => {
  it('is a finding itself, and is repaired [R4-EXIT-GATES]', async () => {
    const run = await runCommit({
      judge: judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.82 })), // above the minimum
      critic: () => criticized(),
    });
    expect(await notesOf(run.stage, 'repair')).toMatchObject([
      { defect: 'gate-correctness', description: 'correctness is at 0.82, and 0.9 is needed', resolved: true },
    ]);
    expect(run.outcome.stop).toBe('done');
  });

  it('is none where somebody found something in its dimension', async () => {
    const run = await runCommit({
      judge: judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.82 })),
      critic: () => criticized({ description: 'the sun is missing' }),
    });
    expect((await notesOf(run.stage, 'repair')).map(({ description }) => description)).toEqual(['the sun is missing']);
  });

  it('is escalated at once where there is nothing that could be repaired [R4-REPAIR-ESCALATE]', async () => {
    const run = await runCommit(
      { judge: judging(() => ({ correctness: 0.9, completeness: 0.85, coherence: 0.85 })) },
      { stage: moving(), exit: { novelty: 1, pAuto: 0.99, pReview: 0.985 } },
    );
    expect((await courseOf(run.stage)).slice(4)).toEqual([
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR'],
    ]);
    expect(await notesOf(run.stage, 'escalation')).toMatchObject([{ why: 'nothing is known that could be repaired' }]);
    expect(run.model.requestsOf('repairer')).toEqual([]);
  });
});
