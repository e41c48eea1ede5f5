import { patternsIn } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { unpredictedIn } from '../patterns/journals-seen.js';
import { RUN } from '../runtime/stage.js';
import { criticised, judging, resultOf, runCommit } from './stage-commit.js';

/** Wrong until somebody mentions the sun. */
const judge = judging((shown) => (shown.includes('sun') ? {} : { correctness: 0.5 }));

describe('the patterns in a commit loop', () => {
  it('are withReviewers where several critics look, each through its lens [O9.users]', async () => {
    const ran = await runCommit(
      {
        judge,
        facts: () => criticised({ description: 'The sun is missing.' }),
        style: () => criticised(),
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
        learnt: { reviewed: 1, lastRound: { passes: false, found: { facts: 1, style: 0 } } },
      },
    ]);
    expect(unpredictedIn(RUN, entries)).toEqual([]);
    expect(resultOf(ran).provenance.repairs).toMatchObject([{ description: 'The sun is missing.', resolved: true }]);
  });
});
