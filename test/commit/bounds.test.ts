import { type Clock, memoryStore, type Outcome, systemClock } from 'flyball';
import type { CommitResult } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import { autonomyBudget } from '../../packages/flyball/src/tools/autonomy/autonomy-budget.js';
import { Stage } from '../runtime/stage.js';
import {
  courseOf,
  criticized,
  judging,
  loopWith,
  notesOf,
  ROOMY,
  resultOf,
  runCommit,
  SMOOTH,
  TASK,
} from './stage-commit.js';

/** Two rounds of repairs, each of which helps. */
const MENDING = {
  worker: () => 'First draft.',
  judge: judging((shown) => ({
    correctness: shown.includes('Third draft') ? 1 : shown.includes('Second draft') ? 0.8 : 0.6,
  })),
  critic: ({ messages }: { readonly messages: readonly { readonly content: string }[] }) =>
    criticized({ description: JSON.stringify(messages).includes('Second draft') ? 'still vague' : 'vague' }),
  repairer: ({ messages }: { readonly messages: readonly { readonly content: string }[] }) =>
    JSON.stringify(messages).includes('still vague') ? 'Third draft.' : 'Second draft.',
};

/** Nothing is refused because of what it may cost. */
const CHEAP = { controller: { baseCostUsd: 0 } };

describe('a bound of the run', () => {
  const stops = [
    ['iterations', 3],
    ['iterations', 7],
    ['modelCalls', 1],
    ['modelCalls', 2],
    ['modelCalls', 5],
    ['costUsd', 0.006],
    ['tokensIn', 3000],
  ] as const;
  it.each(stops)(
    '%s at %d ends it by name, and under a larger budget it goes on to the same result [R4-LOOP-OUTCOMES]',
    async (axis, limit) => {
      const price = { input: 2, output: 2 };
      const model = scriptedModel({ ...SMOOTH, ...MENDING }, { price });
      const calm = await runCommit({}, { ...CHEAP, model: scriptedModel({ ...SMOOTH, ...MENDING }, { price }) });
      const stage = new Stage<Clock>(systemClock());
      const loop = loopWith(model, CHEAP);
      const life = stage.open((run, input) => loop(run, input as TaskSpec));
      const outcome = await life.start(TASK, { ...ROOMY, [axis]: limit });
      expect(outcome).toMatchObject({ stop: 'bounded', bound: axis, limit });
      expect(await notesOf(stage, 'failure-report')).toHaveLength(1);
      const ended = (await life.resume({ budget: { [axis]: limit * 1000 } })) as Outcome<CommitResult>;
      const { outputs, provenance, audit } = resultOf({ outcome: ended });
      expect(outputs).toEqual(resultOf(calm).outputs);
      expect(provenance.repairs.map(({ ms: _ms, costUsd: _cost, ...rest }) => rest)).toEqual(
        resultOf(calm).provenance.repairs.map(({ ms: _ms, costUsd: _cost, ...rest }) => rest),
      );
      expect(audit.transitions).toEqual(resultOf(calm).audit.transitions);
      expect(model.requests).toHaveLength(calm.model.requests.length); // nothing was asked a second time
    },
  );
});

describe('a bound of somebody who works for the loop', () => {
  it('ends it by the same name, not as a failure [R4-LOOP-OUTCOMES]', async () => {
    const autonomy = autonomyBudget({ limits: { iterations: 2 } });
    const { outcome } = await runCommit(
      {},
      { parts: (session) => ({ execution: { worker: { session: session('worker'), tools: [], autonomy } } }) },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 2 });
  });
});

describe('a limit of the loop', () => {
  it('ends it as bounded by its name, with a report of where it stood', async () => {
    const { outcome, stage } = await runCommit(MENDING, { limits: { maxIterations: 6 } });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxIterations', limit: 6 });
    expect((await courseOf(stage)).at(-1)).toBe('CRITIQUE diagnosed FAIL');
    expect(await notesOf(stage, 'failure-report')).toMatchObject([
      { phase: 'CRITIQUE', partial: [{ name: 'answer', characters: 12 }], checkpoint: { iteration: 6 } },
    ]);
  });
});

describe('the controller of a loop', () => {
  it('refuses before anything is asked what it cannot reach within its budget [R4-CONTROL-PREDICT]', async () => {
    const { outcome, model, stage } = await runCommit({}, { expectedError: 0.9, limits: { maxRepairs: 1 } });
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'QUALITY_NOT_REACHED', message: expect.stringMatching(/before it starts: .*[^.]\.$/) as string },
    });
    expect(model.requests).toEqual([]);
    expect(await courseOf(stage)).toEqual(['PLAN exhausted FAIL']);
    expect(await notesOf(stage, 'prediction')).toMatchObject([{ error: 0.9, verdict: { kind: 'refuse' } }]);
  });

  it('relaxes its gate where that makes the loop fit, and says so before it starts [R4-CONTROL-PREDICT]', async () => {
    const { outcome, stage } = await runCommit({}, { expectedError: 0.3, limits: { maxRepairs: 1 } });
    expect(await notesOf(stage, 'prediction')).toMatchObject([{ verdict: { kind: 'relax-gate' } }]);
    expect(outcome.stop).toBe('done');
  });

  it('learns from the repairs of earlier tasks of the class what a repair is worth [R4-CONTROL-GAIN]', async () => {
    const store = memoryStore();
    const first = await runCommit(MENDING, { store });
    const [before] = await notesOf(first.stage, 'prediction');
    const second = await runCommit(MENDING, { store, task: { ...TASK, id: 'tide-2' } });
    const [after] = await notesOf(second.stage, 'prediction');
    // two repairs of modest intensity raised the quality by 0.2 each: a larger gain than was assumed, so fewer repairs
    expect(after?.['costUsd']).not.toBe(before?.['costUsd']);
    const other = await runCommit(MENDING, { store, task: { ...TASK, id: 'ode-1', taskClass: 'poem' } });
    expect((await notesOf(other.stage, 'prediction'))[0]).toEqual(before);
    const lessons = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'commit-lessons' });
    const learned = lessons.records.map(({ key, value }) => [key, value] as const);
    expect(learned).toMatchObject([
      ['explainer/explanation', { outcomes: { length: 4 }, seen: { length: 2 } }],
      ['explainer/poem', { outcomes: { length: 2 }, seen: { length: 1 } }],
    ]);
  });

  it('learns nothing about repairs from work that was divided and done anew [R4-CONTROL-GAIN]', async () => {
    const store = memoryStore();
    const run = await runCommit(
      {
        worker: (_request, n) => (n === 1 ? 'First draft.' : 'Third draft.'),
        judge: MENDING.judge,
        critic: () => criticized({ description: 'vague' }),
        repairer: () => ({ text: 'It is so long that', finish: 'length' }),
      },
      { store },
    );
    expect(await courseOf(run.stage)).toContain('REPAIR re-decompose DECOMPOSE');
    expect(resultOf(run).provenance.repairs).toMatchObject([{ resolved: false }]);
    const lessons = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'commit-lessons' });
    expect(lessons.records.map(({ value }) => value)).toMatchObject([{ outcomes: [] }]);
  });

  it('is not kept from starting by chance that earlier repairs have shown: this output may need none [R4-CONTROL-PREDICT]', async () => {
    const store = memoryStore();
    const lucky = {
      ...MENDING,
      worker: () => 'First draft.',
      judge: judging((shown) => ({ correctness: shown.includes('Lucky') ? 1 : 0.55 })),
      critic: () => criticized({ description: 'vague', severity: 0.95 }),
      repairer: (_request: unknown, n: number) => (n < 3 ? `Draft ${n}.` : 'Lucky.'),
    };
    for (const id of ['one', 'two', 'three']) await runCommit(lucky, { store, task: { ...TASK, id } });
    const next = await runCommit({}, { store, task: { ...TASK, id: 'next' } });
    expect(next.outcome.stop).toBe('done');
    expect(await notesOf(next.stage, 'prediction')).toMatchObject([{ verdict: { kind: 'go' } }]);
    // what was learned counts as soon as something is to be repaired
    const last = await runCommit(lucky, { store, task: { ...TASK, id: 'last' } });
    expect(await notesOf(last.stage, 'control')).toMatchObject([{ decision: { kind: 'noise-floor' } }]);
  });

  it('refuses nothing where no repair is wanted: the first output counts, or nothing does [R4-CONTROL-PREDICT]', async () => {
    const { outcome, stage } = await runCommit({}, { expectedError: 0.9, limits: { maxRepairs: 0 } });
    expect(outcome.stop).toBe('done');
    expect(await notesOf(stage, 'prediction')).toEqual([]);
  });

  it('learns from the repairs of a loop that a limit has ended [R4-CONTROL-GAIN]', async () => {
    const store = memoryStore();
    const { outcome } = await runCommit(MENDING, { store, limits: { maxIterations: 9 } });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxIterations' });
    const lessons = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'commit-lessons' });
    expect(lessons.records.map(({ value }) => value)).toMatchObject([{ outcomes: { length: 1 }, seen: [] }]);
  });

  it('remembers long tasks by their beginning', async () => {
    const store = memoryStore();
    await runCommit({}, { store, task: { ...TASK, requirements: ['word '.repeat(2000)] } });
    const lessons = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'commit-lessons' });
    const [learned] = lessons.records.map(({ value }) => value as { readonly seen: readonly { text: string }[] });
    expect(learned?.seen.map(({ text }) => text.length)).toEqual([2000]);
  });

  it('begins anew with every ACT: a stall of what was thrown away is none of what was made since [R4-CONTROL-STALL]', async () => {
    let acts = 0;
    const run = await runCommit({
      worker: () => `Work ${++acts}.`,
      judge: judging(() => ({ correctness: 0.6 })),
      critic: (_request, n) =>
        criticized({ description: 'wrong', severity: 0.95, cause: n === 2 ? 'complexity-exceeded' : 'logic-error' }),
      repairer: (_request, n) => `Work ${acts}, mended ${n}.`,
    });
    expect((await courseOf(run.stage)).filter((told) => told.startsWith('REPAIR'))).toEqual([
      ...[
        'REPAIR repaired VERIFY',
        'REPAIR re-decompose DECOMPOSE',
        'REPAIR repaired VERIFY',
        'REPAIR repaired VERIFY',
      ],
    ]);
    expect((await notesOf(run.stage, 'control')).map(({ decision }) => (decision as { kind: string }).kind)).toEqual([
      ...['repair', 'repair', 'repair', 'repair', 'stalled'],
    ]);
  });

  it('gives up by the last measurement, not by one that was answered since [R4-CONTROL-STALL] [R4-LOOP-GAP]', async () => {
    let acts = 0;
    const run = await runCommit(
      {
        worker: () => `Work ${++acts}.`,
        judge: judging(
          (shown) => ({ correctness: shown.includes('Work 2') ? 0.75 : 0.6 }),
          (shown) => (shown.includes('mended 4') && shown.includes('Work 1') ? ['tide tables'] : []), // it has stalled by then
        ),
        critic: () => criticized({ description: 'wrong', severity: 0.95 }),
        repairer: (_request, n) => `Work ${acts}, mended ${n}.`,
      },
      { retriever: { name: 'shelf', retrieve: async () => [] } },
    );
    const course = await courseOf(run.stage);
    const back = course.indexOf('VERIFY retrieval-gap RETRIEVE');
    expect(course.slice(back, back + 6)).toEqual([
      ...['VERIFY retrieval-gap RETRIEVE', 'RETRIEVE retrieved ACT', 'ACT acted VERIFY'],
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR', 'REPAIR repaired VERIFY'],
    ]);
  });

  it('passes over a strategy that has failed against this cause in earlier tasks [R4-CONTROL-GAIN] [R4-REPAIR-STRATEGY]', async () => {
    const store = memoryStore();
    const script = {
      ...MENDING,
      critic: () => criticized({ description: 'vague', line: 1, severity: 0.2 }),
      judge: judging((shown) => ({ correctness: shown.includes('draft anew') ? 1 : 0.79 })),
      repairer: (_request: unknown, n: number) => (n > 1 ? 'A draft anew.' : 'Vague draft.'),
    };
    for (let n = 0; n < 6; n++)
      await runCommit(script, { store, exit: { novelty: 1, pAuto: 0, pReview: 0 }, task: { ...TASK, id: `t${n}` } });
    const last = await runCommit(script, {
      store,
      exit: { novelty: 1, pAuto: 0, pReview: 0 },
      task: { ...TASK, id: 'last' },
    });
    const [repair] = await notesOf(last.stage, 'repair');
    expect(repair).toMatchObject({ why: expect.stringContaining('minimal-edit rarely helps') as string });
  });
});
