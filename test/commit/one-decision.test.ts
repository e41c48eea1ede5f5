import type { CommitResult } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RUBRIC, type Rubric } from '../../packages/flyball/src/checks/rubric.js';
import { type CommitOptions, judging, type Measured, notesOf, resultOf, runCommit, say } from './stage-commit.js';

/** A judge that never changes its mind, a loop without repairs, and people who are asked about nothing else. */
function measured(scores: Measured, options: CommitOptions & { readonly rubric?: Rubric } = {}) {
  const { rubric = DEFAULT_RUBRIC, ...rest } = options;
  return runCommit(
    { judge: judging(() => scores) },
    {
      exit: { novelty: 1, pAuto: 0.5, pReview: 0.3 },
      limits: { maxRepairs: 0 },
      parts: (session) => ({ verification: { judge: { session: session('judge'), rubric } } }),
      ...rest,
    },
  );
}

const withMinimum = (minimum: number): Rubric => ({
  version: '2',
  threshold: 0.5,
  dimensions: DEFAULT_RUBRIC.dimensions.map((dimension) => ({ ...dimension, minimum })),
});

describe('whether an output is committed is one decision', () => {
  const good: Measured = { correctness: 0.94, completeness: 0.94, coherence: 0.94, safety: 0.985 };

  it('commits what reaches the gates, the rubric and the setpoint', async () => {
    const { outcome } = await measured(good);
    expect(outcome.stop).toBe('done');
  });

  it('holds back what is below a minimum of the rubric, however low the gates are [F-T5]', async () => {
    const { outcome, stage } = await measured(good, { rubric: withMinimum(0.95) });
    expect(outcome.stop).not.toBe('done');
    const [exit] = await notesOf(stage, 'exit');
    expect(exit?.['gates']).toContainEqual({ gate: 'coherence', score: 0.94, threshold: 0.95, passed: false });
  });

  it('holds back what does not reach the sum of the rubric [F-T5]', async () => {
    const { outcome, stage } = await measured(good, { rubric: { ...withMinimum(0.5), threshold: 0.99 } });
    expect(outcome.stop).not.toBe('done');
    const [exit] = await notesOf(stage, 'exit');
    expect(exit?.['gates']).toContainEqual(expect.objectContaining({ gate: 'rubric', threshold: 0.99, passed: false }));
  });

  it('holds back what the controller would repair [F-T5]', async () => {
    const close: Measured = { correctness: 0.86, completeness: 0.81, coherence: 0.81, safety: 0.98 };
    const { outcome, stage } = await measured(close);
    const [control] = await notesOf(stage, 'control');
    expect(control?.['decision']).not.toMatchObject({ kind: 'met' });
    expect(outcome.stop).not.toBe('done');
    const relaxed = await measured(close, { controller: { epsilon: 0.1 } });
    expect(relaxed.outcome.stop).toBe('done'); // the same number that tells the controller when it is done
  });
});

describe('a gate that is closed', () => {
  const unsafe = (options: CommitOptions = {}) => measured({ safety: 0.5 }, { limits: { maxRepairs: 0 }, ...options });

  it('is closed for people too: a bare yes is refused where it is given [F-W3]', async () => {
    const { outcome, life } = await unsafe();
    await expect(say(life, outcome, 'ann', { verdict: 'approve' })).rejects.toThrow('requires a reason');
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
  });

  it('is told to whoever is asked, with what a yes would do [F-W3]', async () => {
    const { outcome } = await unsafe();
    const request = outcome.stop === 'suspended' ? (outcome.waiting[0]?.request as Record<string, unknown>) : {};
    expect(request['overrides']).toEqual([expect.stringMatching(/^safety 0\.5 of 0\.98/)]);
    expect(request['expectedEffect']).toMatch(/not given out as done/);
    expect(request['recommendation']).toBe('reject');
  });

  it('is overridden in words, and the result carries them [F-W3]', async () => {
    const reason = 'The tide tables are for a film set.';
    const run = await unsafe({ people: [['ann', { verdict: 'approve', reason }]] });
    expect(run.outcome).toMatchObject({ stop: 'degraded', because: expect.stringContaining(reason) });
    const result: CommitResult = resultOf(run);
    expect(result.status).toBe('partial');
    expect(result.overrides).toEqual([
      expect.objectContaining({ gate: 'safety', score: 0.5, threshold: 0.98, by: ['ann'], reason }),
    ]);
  });
});

describe('the models in the provenance of a result', () => {
  it('are those that answered: not those that were configured, and none is missing [F-T6]', async () => {
    const strong = scriptedModel({ strong: 'never asked' }, { id: 'house/strong' });
    const sampler = scriptedModel({ sampler: () => 'Because of the moon.' }, { id: 'house/sampler' });
    const run = await runCommit(
      {},
      {
        parts: (session) => ({
          repair: { session: session('repairer'), stronger: { name: 'strong', model: strong, setup: 'You mend.' } },
          verification: {
            judge: { session: session('judge') },
            consistency: {
              n: 3,
              voting: 'majority',
              session: { name: 'sampler', model: sampler, setup: 'You answer.' },
            },
          },
        }),
      },
    );
    const { models } = resultOf(run).provenance;
    expect(sampler.requests.length).toBe(3);
    expect(models).toContain('house/sampler');
    expect(models).not.toContain('house/strong');
    expect(models).toContain(run.model.id);
  });
});
