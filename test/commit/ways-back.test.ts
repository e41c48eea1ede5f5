import { FlyballError, type StandardSchema } from 'flyball';
import { documentsRetriever } from 'flyball/retrieval';
import { beforeAll, describe, expect, it } from 'vitest';
import { moving } from '../runtime/stage.js';
import { courseOf, criticized, judging, notesOf, PLAN, phasesOf, resultOf, runCommit, TASK } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const NAMED: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof (value as { readonly cause?: unknown }).cause === 'string'
        ? { value }
        : { issues: [{ message: 'it needs a cause' }] },
  },
};

describe('an answer without the structure that was asked for', () => {
  const schema = (session: (name: string) => never) => ({
    verification: { schema: NAMED, judge: { session: session('judge') } },
  });

  it('goes straight to repair: nobody judges it, and nobody criticizes it [R4-VERIFY-SCHEMA]', async () => {
    const script = { worker: ['{"why":"the moon"}'], repairer: ['{"cause":"the moon"}'], critic: [] };
    const run = await runCommit(script, { parts: (session) => schema(session as never) });
    expect(resultOf(run)).toMatchObject({
      outputs: { artefacts: [{ text: '{"cause":"the moon"}' }] },
      provenance: {
        repairs: [{ cause: 'schema-violation', strategy: 'full-regeneration', intensity: 1, resolved: true }],
      },
    });
    expect((await courseOf(run.stage)).slice(4)).toEqual([
      ...['VERIFY schema-failed REPAIR', 'REPAIR repaired VERIFY', 'VERIFY gates-passed COMMIT'],
      'COMMIT committed COMMIT',
    ]);
    expect(run.model.promptAt('repairer')).toContain('it needs a cause');
    const order = run.model.requests.map(({ session }) => session);
    expect(order).not.toContain('critic');
    expect(order.indexOf('judge')).toBeGreaterThan(order.indexOf('repairer'));
  });

  it('fails with its problems when no repair is left, and asks nobody [R4-VERIFY-SCHEMA]', async () => {
    const run = await runCommit(
      { worker: () => 'no JSON', repairer: () => 'still none' },
      { parts: (session) => schema(session as never), limits: { maxRepairs: 1 } },
    );
    expect(run.outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'QUALITY_NOT_REACHED', message: expect.stringContaining('it is not JSON') as string },
    });
    expect((await phasesOf(run.stage)).filter((phase) => phase === 'REPAIR')).toHaveLength(2); // the second only decides
    expect(await notesOf(run.stage, 'escalation')).toMatchObject([{ how: 'fail-with-diagnosis' }]);
    expect(run.model.requestsOf('judge')).toEqual([]);
  });
});

describe('a failure that may pass', () => {
  const busy = () => new FlyballError('MODEL_UNAVAILABLE', 'The model is busy.', { retryable: true });

  it('repeats the phase in place after a growing pause, and goes on [R4-LOOP-RETRY]', async () => {
    const stage = moving();
    const run = await runCommit({ planner: [busy(), busy(), PLAN] }, { stage, stays: true });
    expect(run.outcome.stop).toBe('done');
    expect((await courseOf(stage)).slice(0, 3)).toEqual([
      'PLAN retry PLAN',
      'PLAN retry PLAN',
      'PLAN planned DECOMPOSE',
    ]);
    const entries = await stage.entries();
    const pauses = entries.flatMap(({ event, at }) => (event.type === 'sleep-start' ? [event.due - at] : []));
    expect(pauses).toHaveLength(2);
    expect(pauses[0]).toBeGreaterThanOrEqual(500);
    expect(pauses[0]).toBeLessThan(750);
    expect(pauses[1]).toBeGreaterThanOrEqual(1000);
    expect(pauses[1]).toBeLessThan(1250);
  });

  it('is final when its repetitions are used up, over all phases together [R4-LOOP-RETRY]', async () => {
    const stage = moving();
    const run = await runCommit(
      { planner: [busy(), PLAN], worker: () => busy() },
      { stage, stays: true, limits: { maxRetries: 2 } },
    );
    expect(run.outcome).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_UNAVAILABLE' } });
    expect((await courseOf(stage)).filter((told) => !told.includes('ed '))).toEqual([
      'PLAN retry PLAN',
      'ACT retry ACT',
      'ACT error FAIL',
    ]);
  });

  it('of a plan is not hidden by work that is not there yet [R4-LOOP-RETRY]', async () => {
    const stage = moving();
    let collected = 0;
    const run = await runCommit(
      { worker: (_request, n) => (n <= 3 ? busy() : 'Because of the moon.') },
      {
        stage,
        stays: true,
        workpiece: {
          collect: async (_run, answer) => {
            collected++;
            if (answer === '') throw new FlyballError('EFFECT_FAILED', 'There is no such file.');
            return [{ name: 'answer', text: answer }];
          },
          write: async () => undefined,
        },
      },
    );
    expect((await courseOf(stage)).slice(3, 5)).toEqual(['ACT retry ACT', 'ACT acted VERIFY']);
    expect([run.outcome.stop, collected]).toEqual(['done', 1]);
  });

  it('of another kind ends the loop at once [R4-LOOP-RETRY]', async () => {
    const refused = new FlyballError('MODEL_REJECTED', 'No.', { retryable: false });
    const run = await runCommit({ planner: [refused] });
    expect(run.outcome).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_REJECTED' } });
    expect(await courseOf(run.stage)).toEqual(['PLAN error FAIL']);
    expect(run.model.requests).toHaveLength(1);
  });
});

describe('missing evidence', () => {
  const books = documentsRetriever({
    name: 'library',
    documents: [
      { source: 'moon.md', text: 'The moon pulls the sea and tides turn twice a day.' },
      { source: 'sun.md', text: 'The sun adds spring tides: solar gravity raises them.' },
    ],
  });

  it('that VERIFY found is looked for with its own queries before the work is done again [R4-LOOP-GAP]', async () => {
    const run = await runCommit(
      {
        judge: judging(
          (shown) => ({ completeness: shown.includes('sun.md') ? 1 : 0.5 }),
          (shown) => (shown.includes('sun.md') ? [] : ['spring tides solar gravity']),
        ),
        worker: ({ messages }) => (JSON.stringify(messages).includes('sun.md') ? 'Moon and sun.' : 'The moon.'),
      },
      { retriever: books, evidenceLimit: 1 },
    );
    expect(await phasesOf(run.stage)).toEqual([
      ...['PLAN', 'DECOMPOSE', 'RETRIEVE', 'ACT', 'VERIFY', 'RETRIEVE', 'ACT', 'VERIFY', 'COMMIT', 'COMMIT'],
    ]);
    expect(await queriesIn(run)).toContain('spring tides solar gravity');
    expect(resultOf(run)).toMatchObject({
      outputs: { artefacts: [{ text: 'Moon and sun.' }] },
      provenance: {
        evidence: expect.arrayContaining([
          expect.objectContaining({ source: 'sun.md', query: 'spring tides solar gravity' }),
        ]) as unknown,
      },
    });
  });

  it('that REPAIR lacks is looked for with expanded queries [R4-LOOP-GAP]', async () => {
    const run = await runCommit(
      {
        judge: judging((shown) => ({ correctness: shown.includes('Moon and sun') ? 1 : 0.6 })),
        critic: () => criticized({ description: 'solar gravity is not covered', cause: 'retrieval-gap' }),
        worker: ({ messages }) => (JSON.stringify(messages).includes('sun.md') ? 'Moon and sun.' : 'The moon.'),
      },
      { retriever: books, evidenceLimit: 1 },
    );
    expect((await courseOf(run.stage)).slice(4, 8)).toEqual([
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR', 'REPAIR retrieval-gap RETRIEVE'],
      'RETRIEVE retrieved ACT',
    ]);
    expect(await queriesIn(run)).toContain('solar gravity is not covered');
    expect(resultOf(run).outputs.artefacts[0]?.text).toBe('Moon and sun.');
    expect(run.model.requestsOf('repairer')).toEqual([]);
  });

  it('is not looked for more often than allowed, and nowhere where there is no retriever', async () => {
    let price = 0;
    const judge = judging(
      (shown) => ({ completeness: shown.includes('and the sun') ? 1 : 0.5 }),
      () => [`the price of salt in ${++price} towns`],
    );
    const limited = await runCommit({ judge }, { retriever: books, limits: { maxRetrievals: 1 } });
    expect(limited.outcome.stop).toBe('done');
    expect((await phasesOf(limited.stage)).filter((phase) => phase === 'RETRIEVE')).toHaveLength(2);
    const without = await runCommit({ judge });
    expect(without.outcome.stop).toBe('done');
    expect((await phasesOf(without.stage)).filter((phase) => phase === 'RETRIEVE')).toHaveLength(1);
  });

  it('is not looked for while every gate is open, and never twice with the same words [R4-LOOP-GAP]', async () => {
    const gaps = () => ['the price of salt'];
    const open = await runCommit({ judge: judging(() => ({}), gaps) }, { retriever: books });
    expect(await phasesOf(open.stage)).toEqual(['PLAN', 'DECOMPOSE', 'RETRIEVE', 'ACT', 'VERIFY', 'COMMIT', 'COMMIT']);
    const asked: string[] = [];
    const retriever = {
      name: 'shelf',
      retrieve: async (query: string) => {
        asked.push(query);
        return [];
      },
    };
    const closed = await runCommit(
      { judge: judging((shown) => ({ completeness: shown.includes('and the sun') ? 1 : 0.5 }), gaps) },
      { retriever },
    );
    expect(asked.filter((query) => query === 'the price of salt')).toHaveLength(1);
    expect((await courseOf(closed.stage)).slice(4, 8)).toEqual([
      ...[
        'VERIFY retrieval-gap RETRIEVE',
        'RETRIEVE retrieved ACT',
        'ACT acted VERIFY',
        'VERIFY gates-failed CRITIQUE',
      ],
    ]);
  });

  it('that was looked for already is mended in the round that finds it missing [R4-LOOP-GAP]', async () => {
    const goal = 'Why so?';
    const piece = { id: 'e1', text: 'The moon.', source: 's', place: 'p', authority: false, trust: 'outside' as const };
    const run = await runCommit(
      {
        judge: judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.6 })),
        critic: () => criticized({ description: goal, cause: 'retrieval-gap' }),
      },
      {
        task: { ...TASK, goal, requirements: [] },
        // the goal was asked too, and the piece fits another query better
        retriever: {
          name: 'shelf',
          retrieve: async (query: string) => [{ ...piece, query, score: query === goal ? 1 : 2 }],
        },
      },
    );
    expect((await courseOf(run.stage)).slice(4)).toEqual([
      ...['VERIFY gates-failed CRITIQUE', 'CRITIQUE diagnosed REPAIR', 'REPAIR repaired VERIFY'],
      ...['VERIFY gates-passed COMMIT', 'COMMIT committed COMMIT'],
    ]);
  });

  it('is mended without looking, in the same round, where there is nowhere to look', async () => {
    const run = await runCommit({
      judge: judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.6 })),
      critic: () => criticized({ description: 'solar gravity is not covered', cause: 'retrieval-gap' }),
    });
    expect(run.outcome.stop).toBe('done');
    expect((await phasesOf(run.stage)).filter((phase) => phase === 'REPAIR')).toHaveLength(1);
  });

  async function queriesIn({ stage }: Awaited<ReturnType<typeof runCommit>>): Promise<readonly unknown[]> {
    const done = (await stage.events('complete')).filter(({ name }) => name === 'retrieve');
    expect(done.length).toBeGreaterThan(0);
    const found = done.flatMap(({ result }) => result as readonly { readonly query: string }[]);
    return found.map(({ query }) => query);
  }
});

describe('a task that is too much for one piece', () => {
  it('is divided by a new plan that is told what to avoid [R4-LOOP-REDECOMPOSE] [R4-REPAIR-ESCALATE]', async () => {
    const two = JSON.stringify({
      goal: TASK.goal,
      steps: [
        { id: 'moon', description: 'Explain the moon.', expectedOutcome: 'its pull' },
        { id: 'sun', description: 'Explain the sun.', expectedOutcome: 'its pull', dependsOn: ['moon'] },
      ],
    });
    const run = await runCommit({
      planner: ({ messages }) => (JSON.stringify(messages).includes('too many bodies') ? two : PLAN),
      worker: ({ messages }) => (JSON.stringify(messages).includes('the sun') ? 'Moon, then sun.' : 'All at once.'),
      judge: judging((shown) => ({ correctness: shown.includes('Moon, then sun') ? 1 : 0.5 })),
      critic: () => criticized({ description: 'too many bodies at a time', cause: 'complexity-exceeded' }),
    });
    expect((await courseOf(run.stage)).slice(6, 8)).toEqual([
      'REPAIR re-decompose DECOMPOSE',
      'DECOMPOSE decomposed RETRIEVE',
    ]);
    expect(resultOf(run)).toMatchObject({ outputs: { artefacts: [{ text: 'Moon, then sun.' }] } });
    expect(run.model.requestsOf('planner')).toHaveLength(2);
    expect(await notesOf(run.stage, 'repair')).toEqual([]);
  });
});
