import { memoryStore } from 'flyball';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../packages/flyball/src/core/canonical.js';
import {
  type CommitOptions,
  courseOf,
  criticized,
  judging,
  notesOf,
  phasesOf,
  resultOf,
  runCommit,
  type SaidDefect,
  TASK,
} from './stage-commit.js';

const yes = { verdict: 'approve', reason: 'It will do.' } as const;
const no = { verdict: 'reject', reason: 'all or nothing' } as const;

/** So much chance in every measurement that the controller gives up at the first one. */
const NOISY: CommitOptions = { controller: { noise: 0.9 }, expectedError: 0 };

const escalating = (defect: Partial<SaidDefect>, correctness = 0.6) => ({
  judge: judging((shown) => ({ correctness: shown.includes('strong') ? 1 : correctness })),
  critic: () => criticized({ description: 'the pull is wrong', ...defect }),
  stronger: () => 'A strong answer.',
});

const withStronger: CommitOptions = {
  parts: (session) => ({ repair: { session: session('repairer'), stronger: session('stronger') } }),
};

describe('a loop whose repairs cannot help', () => {
  it('goes to a person where one has to know the field [R4-REPAIR-ESCALATE]', async () => {
    const run = await runCommit(escalating({ needsExpert: true, cause: 'capability-limit' }), {
      ...NOISY,
      ...withStronger,
    });
    expect(await notesOf(run.stage, 'escalation')).toMatchObject([{ how: 'human-review' }]);
    expect(run.outcome).toMatchObject({ stop: 'suspended', waiting: [{ request: { recommendation: 'reject' } }] });
    expect(run.model.requestsOf('stronger')).toEqual([]);
  });

  it('goes to the stronger model where this one is not able to [R4-REPAIR-ESCALATE]', async () => {
    const run = await runCommit(escalating({ cause: 'capability-limit' }), { ...NOISY, ...withStronger });
    expect((await courseOf(run.stage)).slice(5)).toEqual([
      ...['CRITIQUE diagnosed REPAIR', 'REPAIR upgraded REPAIR', 'REPAIR repaired VERIFY'],
      ...['VERIFY gates-passed COMMIT', 'COMMIT committed COMMIT'],
    ]);
    expect(resultOf(run).outputs.artefacts[0]?.text).toBe('A strong answer.');
    expect(run.model.requestsOf('repairer')).toEqual([]);
  });

  it('gives the stronger model a round of its own when all rounds are used up, without a retry [R4-REPAIR-ESCALATE]', async () => {
    const script = escalating({ cause: 'capability-limit' }, 0.84);
    const run = await runCommit(
      { ...script, stronger: (_request, n) => (n > 1 ? 'A strong answer.' : `A weak answer, ${n}.`) },
      { ...withStronger, limits: { maxRepairs: 1, maxRetries: 0 } },
    );
    expect((await courseOf(run.stage)).filter((told) => told.startsWith('REPAIR'))).toEqual([
      ...['REPAIR repaired VERIFY', 'REPAIR upgraded REPAIR', 'REPAIR repaired VERIFY'],
    ]);
    expect(run.outcome.stop).toBe('done');
  });

  it('is divided anew where it is too much at once [R4-REPAIR-ESCALATE] [R4-LOOP-REDECOMPOSE]', async () => {
    const run = await runCommit(
      {
        ...escalating({ cause: 'complexity-exceeded' }),
        worker: (_request, n) => (n === 1 ? 'Weak.' : 'In strong parts.'),
      },
      NOISY,
    );
    expect(await notesOf(run.stage, 'escalation')).toMatchObject([{ how: 're-decompose' }]);
    expect(await courseOf(run.stage)).toContain('REPAIR re-decompose DECOMPOSE');
    expect(run.model.promptAt('planner', 2)).toContain('the pull is wrong');
    expect(run.outcome.stop).toBe('done');
  });

  it('offers what is of use as a part, and says what is missing [R4-REPAIR-ESCALATE] [R4-COMMIT-PARTIAL] [R4-LOOP-OUTCOMES]', async () => {
    const store = memoryStore();
    const run = await runCommit(escalating({}), { ...NOISY, store, people: [['ada', yes]] });
    expect(run.outcome).toMatchObject({
      stop: 'degraded',
      because: expect.stringContaining('the pull is wrong') as string,
      value: {
        status: 'partial',
        missing: expect.arrayContaining(['correctness: 0.60 of 0.9', 'the pull is wrong']) as unknown,
        provenance: { approvers: ['ada'] },
        audit: { exit: { triggers: expect.arrayContaining(['budget-exceeded-with-partial-output']) as unknown } },
      },
    });
    expect((await courseOf(run.stage)).slice(-2)).toEqual(['REPAIR partial COMMIT', 'COMMIT committed COMMIT']);
    const again = await runCommit({}, { store });
    expect(resultOf(again).status).toBe('committed'); // a part is not the whole: the task is done again
    expect(again.model.requests.length).toBeGreaterThan(0);
  });

  it('commits no part that somebody refuses [R4-COMMIT-PARTIAL]', async () => {
    const store = memoryStore();
    const run = await runCommit(escalating({}), { ...NOISY, store, people: [['ada', no]] });
    expect(run.outcome).toMatchObject({ stop: 'failed', because: expect.stringContaining('all or nothing') as string });
    const commits = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'commits' });
    expect(commits.records).toEqual([]);
  });

  it('fails with its diagnosis where nothing is of use, and leaves it in outcome and journal [R4-REPAIR-ESCALATE] [R4-EXIT-ARTEFACTS]', async () => {
    const run = await runCommit({ ...escalating({}), judge: judging(() => ({ completeness: 0 })) }, NOISY);
    const report = {
      phase: 'REPAIR',
      diagnosis: expect.arrayContaining([expect.objectContaining({ description: 'the pull is wrong' })]) as unknown,
      partial: { artefacts: [{ text: 'Because of the moon.' }] },
      exit: { disposition: expect.any(String) as string },
      checkpoint: { run: 'run', phase: 'REPAIR', iteration: 7 },
    };
    const message = expect.stringContaining('the pull is wrong') as string;
    const failure = { code: 'QUALITY_NOT_REACHED', message, detail: { report } };
    expect(run.outcome).toMatchObject({ stop: 'failed', failure });
    const named = [{ name: 'answer', characters: 20, hash: sha256('Because of the moon.') }];
    expect(await notesOf(run.stage, 'failure-report')).toMatchObject([{ ...report, partial: named }]); // without texts
    // nothing was done to the world, so nobody has to look after it
    expect(run.outcome).not.toMatchObject({ rollback: { success: false } });
  });

  it('escalates at the third measurement where a closed gate no longer moves, though the controller is content [F-W9]', async () => {
    const run = await runCommit({ judge: judging(() => ({ safety: 0.97 })) }); // the gate opens at 0.98
    expect((await notesOf(run.stage, 'control')).map(({ decision }) => (decision as { kind: string }).kind)).toEqual([
      ...['met', 'met', 'met'],
    ]);
    expect(await notesOf(run.stage, 'escalation')).toMatchObject([{ why: 'repairs no longer change the quality' }]);
    expect((await courseOf(run.stage)).filter((told) => told === 'REPAIR repaired VERIFY')).toHaveLength(2);
  });

  it('with no repairs allowed asks a person about what did not pass [F-W9]', async () => {
    const options = { limits: { maxRepairs: 0 } };
    const first = await runCommit({ judge: judging(() => ({ correctness: 0.5 })) }, options);
    expect(first.outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect(await courseOf(first.stage)).not.toContain('REPAIR repaired VERIFY');
    const refused = await runCommit(
      { judge: judging(() => ({ correctness: 0.5 })) },
      { ...options, people: [['ada', no]] },
    );
    expect(refused.outcome.stop).toBe('failed');
  });

  it('never repairs when chance alone keeps it from the gate [R4-CONTROL-NOISE]', async () => {
    const run = await runCommit(escalating({}), NOISY);
    expect(await notesOf(run.stage, 'control')).toMatchObject([{ decision: { kind: 'noise-floor' } }]);
    expect(await notesOf(run.stage, 'escalation')).toMatchObject([
      { why: 'chance alone keeps the quality below the gate: more repairs cannot help' },
    ]);
    expect(run.model.requestsOf('repairer')).toEqual([]);
    expect(run.outcome.stop).toBe('suspended');
  });

  it('stops repairing when it changes nothing any more [R4-CONTROL-NOISE] [R4-CONTROL-STALL]', async () => {
    const run = await runCommit({ ...escalating({}), repairer: (_request, n) => `Weak answer number ${n}.` });
    expect((await phasesOf(run.stage)).slice(4)).toEqual([
      ...['VERIFY', 'CRITIQUE', 'REPAIR', 'VERIFY', 'CRITIQUE', 'REPAIR', 'VERIFY', 'CRITIQUE', 'REPAIR'],
    ]);
    expect((await notesOf(run.stage, 'control')).map(({ decision }) => (decision as { kind: string }).kind)).toEqual([
      ...['repair', 'repair', 'stalled'],
    ]);
    expect(run.outcome).toMatchObject({ stop: 'suspended', waiting: [{ request: { why: /no longer change/ } }] });
  });

  it('measures what the last repair changed before anybody is asked about it [R4-REPAIR-ESCALATE] [R4-COMMIT-PARTIAL]', async () => {
    const run = await runCommit(
      {
        worker: () => 'One bad.\n\nTwo bad.',
        judge: judging((shown) =>
          shown.includes('Poison') ? { correctness: 0.1, completeness: 0.2 } : { correctness: 0.6 },
        ),
        critic: () => criticized({ description: 'one', line: 1 }, { description: 'two', line: 3 }),
        repairer: () => 'Poison.',
      },
      {
        parts: (session) => ({ repair: { session: session('repairer'), budget: { attempts: 1 } } }),
        people: [['ada', yes]],
      },
    );
    expect((await courseOf(run.stage)).slice(6, 10)).toEqual([
      ...['REPAIR repaired VERIFY', 'VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR'],
      'REPAIR partial COMMIT',
    ]);
    expect(resultOf(run)).toMatchObject({
      outputs: { artefacts: [{ text: 'One bad.\n\nPoison.' }] },
      provenance: { scores: { correctness: 0.1, completeness: 0.2 } }, // of what is given out
      missing: expect.arrayContaining(['correctness: 0.10 of 0.9']) as unknown,
    });
    expect(new Set(resultOf(run).missing).size).toBe(resultOf(run).missing.length); // each finding once
  });

  it('measures it too where the work is too much for one piece and cannot be divided any more [R4-LOOP-REDECOMPOSE]', async () => {
    const run = await runCommit(
      {
        worker: () => 'One bad.\n\nTwo bad.',
        judge: judging((shown) => ({ correctness: shown.includes('Poison') ? 0.1 : 0.6 })),
        critic: () => criticized({ description: 'one', line: 1 }, { description: 'two', line: 3 }),
        repairer: (_request, n) => (n === 1 ? 'Poison.' : { text: 'It is so long that', finish: 'length' }),
      },
      { limits: { maxDecompositions: 0 }, people: [['ada', yes]] },
    );
    expect((await courseOf(run.stage)).slice(6, 8)).toEqual(['REPAIR repaired VERIFY', 'VERIFY gates-failed CRITIQUE']);
    expect(resultOf(run)).toMatchObject({ status: 'partial', provenance: { scores: { correctness: 0.1 } } });
  });

  it('goes to the stronger model after that measurement, where this one was not able to [R4-REPAIR-ESCALATE]', async () => {
    const scored = [0.8, 0.815, 0.83, 0.845];
    const scores = judging((shown) => ({
      correctness: shown.includes('strong') ? 1 : (scored[Number(/Draft (\d)/.exec(shown)?.[1])] ?? 0.8),
    }));
    const run = await runCommit(
      {
        worker: () => 'Draft 0.',
        repairer: (_request, n) => `Draft ${n}.`,
        stronger: () => 'A strong answer.',
        judge: (...asked) =>
          Object.keys((asked[0].output as { readonly properties?: object }).properties ?? {}).includes('yes')
            ? JSON.stringify({ reasoning: 'Looked.', yes: JSON.stringify(asked[0].messages).includes('strong') })
            : scores(...asked),
        // what is old by the third round has survived every strategy; what is new comes first, and uses up the budget
        critic: (_request, n) =>
          criticized({ description: 'old' }, ...(n < 3 ? [] : [{ description: 'new', severity: 0.6, line: 1 }])),
      },
      {
        parts: (session) => ({
          repair: { session: session('repairer'), stronger: session('stronger'), budget: { attempts: 3 } },
        }),
      },
    );
    expect((await courseOf(run.stage)).filter((told) => told.startsWith('REPAIR'))).toEqual([
      ...['REPAIR repaired VERIFY', 'REPAIR repaired VERIFY', 'REPAIR repaired VERIFY'],
      ...['REPAIR upgraded REPAIR', 'REPAIR repaired VERIFY'],
    ]);
    expect(run.model.requestsOf('stronger')).toHaveLength(1);
  });

  it('commits what the last repair brought, where that was enough [R4-REPAIR-ESCALATE]', async () => {
    const run = await runCommit(
      {
        judge: judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.6 })),
        critic: () => criticized({ description: 'one' }, { description: 'two', line: 1 }),
        repairer: () => 'Because of the moon and the sun.',
      },
      { parts: (session) => ({ repair: { session: session('repairer'), budget: { attempts: 1 } } }) },
    );
    expect(run.outcome.stop).toBe('done');
    expect(await notesOf(run.stage, 'escalation')).toEqual([]);
  });

  it('does what a person wants instead, although all rounds and attempts are used up [R4-LOOP-HUMAN-MODIFY]', async () => {
    const modify = { verdict: 'modify', value: 'Write a strong answer.' } as const;
    const run = await runCommit(
      {
        ...escalating({}, 0.84),
        repairer: ({ messages }, n) =>
          JSON.stringify(messages).includes('Write a strong') ? 'A strong answer.' : `Weak ${n}.`,
      },
      {
        task: { ...TASK, requiresApproval: true },
        limits: { maxRepairs: 1 },
        parts: (session) => ({ repair: { session: session('repairer'), budget: { attempts: 1 } } }),
        people: [
          ['ada', modify],
          ['ada', yes],
        ],
      },
    );
    expect((await courseOf(run.stage)).filter((told) => told.startsWith('REPAIR'))).toEqual([
      ...['REPAIR repaired VERIFY', 'REPAIR modified REPAIR', 'REPAIR repaired VERIFY'],
    ]);
    expect(run.outcome).toMatchObject({
      stop: 'done',
      value: { outputs: { artefacts: [{ text: 'A strong answer.' }] } },
    });
  });
});
