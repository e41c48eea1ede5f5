import { selfRefine, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { patternsIn } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { unpredictedIn } from '../patterns/journals-seen.js';
import { RUN } from '../runtime/stage.js';
import { criticized, judging, resultOf, runCommit, type Said } from './stage-commit.js';

/** Wrong until somebody mentions the sun. */
const judge = judging((shown) => (shown.includes('sun') ? {} : { correctness: 0.5 }));

describe('the patterns in a commit loop', () => {
  it('are untilApproved around all: VERIFY with its judge and its gates approves, or has it revised [O5.users]', async () => {
    const ran = await runCommit({ judge, critic: () => criticized({ description: 'A cause is missing.' }) });
    expect(resultOf(ran).status).toBe('committed');
    const entries = await ran.life.runtime.entries(RUN);
    const [around, ...others] = patternsIn(entries).filter(({ pattern }) => pattern === 'untilApproved');
    expect(others).toEqual([]);
    expect(around).toMatchObject({
      params: { id: 'O5', maxRounds: 40 },
      how: 'done',
      learned: { drafts: 2, judged: 2, revisions: 1 },
      modelCalls: ran.model.requests.length,
    });
    expect(unpredictedIn(RUN, entries)).toEqual([]);
  });

  it('end blocked where the loop fails, and degraded where people agree to less [O5.users]', async () => {
    const wrong = { judge: judging(() => ({ correctness: 0.5 })), critic: () => criticized({ description: 'Wrong.' }) };
    const hows = async (people: Said) => {
      const ran = await runCommit(wrong, { people });
      const entries = await ran.life.runtime.entries(RUN);
      const around = patternsIn(entries).find(({ pattern }) => pattern === 'untilApproved');
      return [ran.outcome.stop, around?.how];
    };
    expect(await hows([['ada', { verdict: 'reject', reason: 'No.' }]])).toEqual(['failed', 'blocked']);
    expect(await hows([['ada', { verdict: 'approve', reason: 'It will do.' }]])).toEqual(['degraded', 'degraded']);
  });

  it('are withReviewers where several critics look, each through its lens [O9.users]', async () => {
    const ran = await runCommit(
      {
        judge,
        facts: () => criticized({ description: 'A cause is missing.' }),
        style: () => criticized(),
      },
      {
        parts: (session) => ({
          critic: {
            session: session('critic'),
            lenses: [
              { name: 'facts', session: session('facts'), looksFor: 'wrong facts', mandatory: true },
              { name: 'style', session: session('style'), looksFor: 'clumsy words' },
            ],
          },
        }),
      },
    );
    expect(resultOf(ran).status).toBe('committed');
    const entries = await ran.life.runtime.entries(RUN);
    const panels = patternsIn(entries).filter(({ pattern }) => pattern === 'withReviewers');
    expect(panels).toMatchObject([
      {
        params: { id: 'O9', maxRounds: 1, precedence: ['facts', 'style'], mandatory: ['facts'] },
        predicted: { min: 0, max: 6 },
        modelCalls: 2,
        how: 'done',
        learned: { reviewed: 1, lastRound: { passes: false, found: { facts: 1, style: 0 } } },
      },
    ]);
    expect(unpredictedIn(RUN, entries)).toEqual([]);
    expect(resultOf(ran).provenance.repairs).toMatchObject([{ description: 'A cause is missing.', resolved: true }]);
  });

  it('are reflexion where a defect survives: the next attempt reads what did not help [R7.users]', async () => {
    const ran = await runCommit(
      {
        judge,
        critic: () => criticized({ description: 'A cause is missing.', line: 1 }),
        repairer: ['Because of the moon alone.', 'Because of the moon and the sun.'],
      },
      {},
    );
    expect(resultOf(ran).provenance.repairs).toMatchObject([
      { strategy: 'section-rewrite', resolved: false },
      { strategy: 'full-regeneration', resolved: true },
    ]);
    const entries = await ran.life.runtime.entries(RUN);
    expect(patternsIn(entries).filter(({ pattern }) => pattern === 'reflexion')).toMatchObject([
      { params: { id: 'R7', maxAttempts: 3 }, how: 'done', learned: { attempts: 2, critiques: 0 } },
    ]);
    expect(ran.model.promptAt('repairer', 1)).not.toContain('did not remove this fault');
    expect(ran.model.promptAt('repairer', 2)).toContain('A section-rewrite did not remove this fault');
    expect(unpredictedIn(RUN, entries)).toEqual([]);
  });

  it('are rubricJudge wherever the judge scores, with the verdict in the journal [V15.users]', async () => {
    const ran = await runCommit({ judge, critic: () => criticized({ description: 'A cause is missing.' }) });
    expect(resultOf(ran).status).toBe('committed');
    const entries = await ran.life.runtime.entries(RUN);
    const judged = patternsIn(entries).filter(({ pattern }) => pattern === 'rubricJudge');
    expect(judged.map(({ learned }) => learned)).toMatchObject([
      { passed: false },
      { passed: false }, // the defect alone, before it is repaired
      { passed: true },
    ]);
    for (const use of judged) expect(use).toMatchObject({ params: { id: 'V15' }, modelCalls: 1, how: 'returned' });
    expect(unpredictedIn(RUN, entries)).toEqual([]);
  });

  it('are selfConsistency where VERIFY draws samples, with parameters, prediction and vote in the journal [R17.users]', async () => {
    const said = ['The sun.', 'Because of the moon.', 'Because of the moon.'];
    const sampler = scriptedModel({ sampler: (_request, n) => said[(n - 1) % 3] ?? '' });
    const consistency = { n: 3, voting: 'majority', minimum: 0.6 } as const;
    const ran = await runCommit(
      {},
      {
        parts: (session) => ({
          verification: {
            judge: { session: session('judge') },
            consistency: { ...consistency, session: { name: 'sampler', model: sampler, setup: 'You answer.' } },
          },
        }),
      },
    );
    const entries = await ran.life.runtime.entries(RUN);
    const [vote, ...later] = patternsIn(entries).filter(({ pattern }) => pattern === 'selfConsistency');
    for (const each of [vote, ...later])
      expect(each).toMatchObject({
        params: { id: 'R17', samples: 3, minAgreement: 0.6, temperature: 0.7 },
        predicted: { min: 3, max: 3 },
        modelCalls: 3,
        how: 'done',
        learned: { grouped: 0, agreement: 2 / 3, tie: false, abstained: 0, runnerUp: 'The sun.' },
      });
    expect(unpredictedIn(RUN, entries)).toEqual([]);
  });

  it('are not selfRefine: the critic may be another model, and a check ends the repairs, not a model that is content [R8.users]', async () => {
    const other = scriptedModel(
      { critic: () => criticized({ description: 'A cause is missing.', line: 1 }) },
      { id: 'scripted/other' },
    );
    const ran = await runCommit(
      { judge, repairer: ['DONE', 'Because of the moon and the sun.'] },
      { parts: (session) => ({ critic: { session: { ...session('critic'), model: other } } }) },
    );
    expect(resultOf(ran).status).toBe('committed');
    expect(resultOf(ran).provenance.repairs).toMatchObject([{ resolved: false }, { resolved: true }]);
    const entries = await ran.life.runtime.entries(RUN);
    expect(patternsIn(entries).map(({ pattern }) => pattern)).not.toContain('selfRefine');
    const [critic, reviser] = [
      { name: 'critic', model: other, setup: 'You find faults.' },
      { name: 'repairer', model: ran.model, setup: 'You mend them.' },
    ];
    const worker = zeroShot({ name: 'worker', model: ran.model, setup: '' });
    expect(() => selfRefine(worker, { critic, reviser })).toThrow('needs one model for all its sessions');
  });

  it('tell no best of their own as what the loop came to: nothing of it has passed the gates', async () => {
    const { outcome } = await runCommit(
      { judge: judging(() => ({ correctness: 0.5 })), critic: () => criticized({ description: 'Wrong.', line: 1 }) },
      { limits_: { modelCalls: 9 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'modelCalls' });
    expect(outcome).not.toHaveProperty('partial');
  });
});
