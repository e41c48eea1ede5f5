import { useOf } from 'flyball/patterns';
import { hashEmbedder } from 'flyball/retrieval';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { inRun, session } from '../../../../test/checks/stage-checks.js';
import { ended as inPattern } from '../../../../test/patterns/bed.js';
import type { Embedder } from '../ports/embedder.js';
import { type Consensus, type ConsistencyOptions, sampledAnswers } from './consistency.js';

const majority = { n: 5, voting: 'majority' } as const;

async function drawn(replies: readonly (string | Error)[], options: ConsistencyOptions = majority) {
  const model = scriptedModel({ solver: replies });
  return { ...(await consensus(model, options)), model };
}

/** What the samples come to, agreed or not. */
async function consensus(model: ScriptedModel, options: ConsistencyOptions): Promise<Consensus> {
  const drawing = sampledAnswers(session(model, 'solver'), options);
  const outcome = await inRun((run) => drawing(run, 'How many eggs?'));
  if (outcome.stop !== 'done' && outcome.stop !== 'degraded') throw new Error(JSON.stringify(outcome));
  expect(outcome.stop).toBe(outcome.value.consistency.verdict === 'pass' ? 'done' : 'degraded');
  return outcome.value;
}

describe('self-consistency', () => {
  it('returns the answer of most samples with its share [R4-VERIFY-CONSISTENCY]', async () => {
    const { best, consistency, model } = await drawn(['26', ' 18 ', '18', '18\n', '18']);
    expect(best).toBe(' 18 ');
    expect(consistency).toMatchObject({ score: 0.8, verdict: 'pass', n: 5, best: 1, tie: false, abstained: 0 });
    expect(consistency.margin).toBeCloseTo(0.6);
    model.assertFinished();
  });

  it('sends the same messages every time, at temperature 0.7 [R4-VERIFY-CONSISTENCY]', async () => {
    const { model } = await drawn(['1', '1', '1', '1', '1']);
    expect(model.requests).toHaveLength(5);
    expect(new Set(model.requests.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
    expect(model.requests.every(({ sampling }) => sampling.temperature === 0.7)).toBe(true);
  });

  it('draws the samples side by side', async () => {
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const model = scriptedModel({
      solver: (_request, n) => {
        if (n === 3) open(); // no sample is answered before the last one is asked for
        return { text: '18', gate: all };
      },
    });
    const options = { ...majority, n: 3 } as const;
    const found = await consensus(model, options);
    expect(found.consistency.score).toBe(1);
  });

  it('is of low confidence below 0.70, and tells a tie [R4-VERIFY-CONSISTENCY]', async () => {
    expect((await drawn(['18', '18', '18', '26', '7'])).consistency).toMatchObject({
      score: 0.6,
      verdict: 'low-confidence',
    });
    const split = await drawn(['26', '18', '18', '26', '7'], { ...majority, minimum: 0.4 });
    expect(split.consistency).toMatchObject({ score: 0.4, tie: true, margin: 0, verdict: 'low-confidence', best: 0 });
  });

  it('counts a sample that failed as an abstention among all of them [R4-VERIFY-CONSISTENCY]', async () => {
    const { consistency, samples } = await drawn(['18', new Error('overloaded'), '  ', '18', '18']);
    expect(consistency).toMatchObject({ score: 0.6, abstained: 2, verdict: 'low-confidence' });
    expect(samples.map(({ stop }) => stop)).toEqual(['done', 'failed', 'blocked', 'done', 'done']);
  });

  it('has no answer where no sample has one', async () => {
    const model = scriptedModel({ solver: ['', ' ', '\n'] });
    const drawing = sampledAnswers(session(model, 'solver'), { ...majority, n: 3 });
    expect(await inRun((run) => drawing(run, 'Eggs?'))).toMatchObject({
      stop: 'failed',
      because: expect.stringContaining('it is empty'),
      failure: { code: 'NO_ANSWER' },
    });
  });

  it('does not count a sample that was cut off or refused [R17.users]', async () => {
    const cut = { text: '18', finish: 'length' } as const;
    const refused = { text: '18', finish: 'content_filter' } as const;
    const { consistency } = await consensus(scriptedModel({ solver: [cut, '26', refused] }), { ...majority, n: 3 });
    expect(consistency).toMatchObject({ best: 1, abstained: 2, verdict: 'low-confidence', samples: ['26'] });
  });

  it('is R17 in the journal, with its parameters and what came of it [R17.users]', async () => {
    const model = scriptedModel({ solver: ['0', '30', new Error('overloaded')] });
    const drawing = sampledAnswers(session(model, 'solver'), { n: 3, voting: 'similarity', embedder: directions() });
    expect(useOf(drawing)).toMatchObject({ id: 'R17', predicted: { min: 3, max: 3 } });
    const { uses } = await inPattern(drawing, 'Eggs?');
    expect(uses).toMatchObject([
      {
        pattern: 'selfConsistency',
        params: { id: 'R17', samples: 3, minAgreement: 0.7, temperature: 0.7 },
        predicted: { min: 3, max: 3 },
        modelCalls: 3,
        how: 'degraded',
        learned: { grouped: 0, tie: true, abstained: 1 },
      },
    ]);
  });

  it('normalizes as it is told to', async () => {
    const numberIn = (text: string): string => /\d+/.exec(text)?.[0] ?? text;
    const options: ConsistencyOptions = { n: 3, voting: 'majority', normalize: numberIn };
    const { consistency, best } = await drawn(['18 eggs', 'I get 18.', 'It is 26'], options);
    expect(best).toBe('18 eggs');
    expect(consistency.score).toBeCloseTo(2 / 3);
  });

  it('takes the sample closest to all others where answers are free text [R4-VERIFY-CONSISTENCY]', async () => {
    const options: ConsistencyOptions = { n: 3, voting: 'similarity', embedder: directions() };
    const { best, consistency } = await drawn(['0', '30', '60'], options);
    expect(best).toBe('30');
    expect(consistency).toMatchObject({ best: 1, voting: 'similarity', verdict: 'pass' });
    expect(consistency.score).toBeCloseTo(Math.cos(Math.PI / 6));
    const apart = await drawn(['0', '90', '180'], options);
    expect(apart.consistency).toMatchObject({ verdict: 'low-confidence' });
    expect(apart.consistency.score).toBeCloseTo(0);
  });

  it('measures failed samples as similar to nothing', async () => {
    const options: ConsistencyOptions = { n: 3, voting: 'similarity', embedder: directions() };
    const { consistency } = await drawn(['10', new Error('overloaded'), '10'], options);
    expect(consistency).toMatchObject({ tie: false, abstained: 1, verdict: 'low-confidence' });
    expect(consistency.score).toBeCloseTo(0.5);
  });

  it('works with the embedder that needs no model', async () => {
    const options: ConsistencyOptions = { n: 3, voting: 'similarity', embedder: hashEmbedder() };
    const texts = ['The invoice is due in thirty days.', 'Invoices are due in thirty days.', 'The cat sleeps.'];
    expect(['The cat sleeps.']).not.toContain((await drawn(texts, options)).best);
  });

  it.each([
    [{ ...majority, n: 4 }, /3, 5 or 7 samples, got 4/],
    [{ ...majority, n: 9 }, /3, 5 or 7/],
    [{ ...majority, temperature: 0 }, /temperature 0 are all the same/],
    [{ ...majority, minimum: 70 }, /0 to 1/],
    [{ n: 3, voting: 'similarity' }, /needs an embedder/],
  ])('refuses %j [R4-VERIFY-CONSISTENCY]', (options, why) => {
    expect(() => sampledAnswers(session(scriptedModel({}), 'solver'), options as ConsistencyOptions)).toThrow(why);
  });

  it('refuses a session with a seed, whose samples would all be the same', async () => {
    const model = scriptedModel({});
    const seeded = { ...session(model, 'solver'), sampling: { seed: 7 } };
    expect(() => sampledAnswers(seeded, majority)).toThrow('has a seed');
    expect(model.requests).toHaveLength(0);
  });
});

/** Texts are angles in degrees. */
function directions(): Embedder {
  return {
    id: 'test/directions',
    dimensions: 2,
    semantic: true,
    embed: async (texts) =>
      texts.map((text) => {
        const angle = (Number(text) * Math.PI) / 180;
        return text === '' ? new Float32Array(2) : Float32Array.of(Math.cos(angle), Math.sin(angle));
      }),
  };
}
