import { openAiModel } from 'flyball/adapters/model-http';
import { modelServer } from 'flyball/testing';
import { expect, it } from 'vitest';
import { calibrate } from '../../packages/evals/src/lab/calibrate.js';
import { accuracyOf, correlationOf, type Estimate, lengthOf } from '../../packages/evals/src/lab/estimates.js';
import { draw } from '../../packages/evals/src/lab/simulated.js';
import { arithmetic } from '../../packages/evals/src/lab/worlds/arithmetic.js';
import { files } from '../../packages/evals/src/lab/worlds/files.js';
import { intents, LABELS } from '../../packages/evals/src/lab/worlds/intents.js';

const KNOWN = { p: 0.6, common: 0.4, wrong: 3, tpr: 0.9, fpr: 0.2, length: 1_000, label: 0.8 };
/** Within four standard errors: twice the 95% interval. One interval of twenty misses; the next test counts how many do. */
const isNear = ({ value, low, high }: Estimate, known: number): void =>
  expect(Math.abs(value - known)).toBeLessThanOrEqual(2 * Math.max(high - value, value - low));

/** A model of known parameters behind HTTP: it reads the task off the prompt, and its noise follows the prompt and how often it came. */
function reply(text: string, n: number): string {
  const item = Number(/Task #(\d+)/.exec(text)?.[1]);
  const chance = (purpose: string): number => draw('calibrated', purpose, text, n);
  if (text.includes('Somebody answered')) {
    const isGood = text.includes(`<answer>${arithmetic.truth(item)}</answer>`);
    return chance('judge') < (isGood ? KNOWN.tpr : KNOWN.fpr) ? 'YES' : 'NO';
  }
  if (text.includes('What is the code'))
    return chance('reads') < Math.exp(-text.length / 4 / KNOWN.length) ? files.truth(item) : 'I do not know.';
  if (text.includes('what is this message about'))
    return chance('label') < KNOWN.label ? intents.truth(item) : intents.wrong(item, 0);
  const isCommon = draw('calibrated', 'common', item) < KNOWN.common;
  const own = (purpose: string): number => (isCommon ? draw('calibrated', purpose, 'item', item) : chance(purpose));
  return own('right') < KNOWN.p
    ? `It is ${arithmetic.truth(item)}.`
    : arithmetic.wrong(item, Math.floor(own('which') * KNOWN.wrong));
}

it('calibrate recovers known parameters through a model server, with the calls it was given [R13-LAB-CALIBRATE]', async () => {
  const asked = new Map<string, number>();
  const server = await modelServer({
    replies: ({ body }) => {
      const { messages } = body as { readonly messages: readonly { readonly content: string }[] };
      const text = messages.map(({ content }) => content).join('\n');
      asked.set(text, (asked.get(text) ?? 0) + 1); // requests overlap, so their order says nothing
      return reply(text, asked.get(text) ?? 0);
    },
  });
  const model = openAiModel({
    id: 'local/known',
    model: 'known',
    apiKey: 'none',
    baseUrl: server.baseUrl('openai-chat'),
    capabilities: { window: 32_000, maxOutputTokens: 1_000, tools: false, structuredOutput: false, promptCache: false },
  } as never);
  try {
    const found = await calibrate({ model, calls: 400, width: 8 });
    expect(found.calls).toBe(400);
    expect(server.requests).toHaveLength(400);
    isNear(found.p, KNOWN.p);
    isNear(found.correlation, KNOWN.common);
    isNear(found.tpr, KNOWN.tpr);
    isNear(found.fpr, KNOWN.fpr);
    isNear(found.length, KNOWN.length);
    const right = found.confusion.counts.reduce((sum, row, n) => sum + (row[n] ?? 0), 0);
    const labelled = found.confusion.counts.flat().reduce((sum, count) => sum + count, 0);
    expect(Math.abs(right / labelled - KNOWN.label)).toBeLessThan(
      4 * Math.sqrt((KNOWN.label * (1 - KNOWN.label)) / labelled),
    );
    expect(found.confusion.labels).toEqual(LABELS);
    expect(found.gains.find(({ composition }) => composition.startsWith('selfConsistency, 5'))?.gain).toBeGreaterThan(
      0,
    );
    expect(found.condition).toContain('simulated models');
  } finally {
    await server.close();
  }
});

it('its intervals hold the known value in about 95% of 200 models [R13-LAB-CALIBRATE]', () => {
  const MODELS = 200;
  const held = { p: 0, common: 0, length: 0 };
  const holds = ({ low, high }: Estimate, known: number): number => Number(low <= known && known <= high);
  for (let seed = 0; seed < MODELS; seed++) {
    const unknown = (name: string): number => draw('known', seed, name);
    const [p, common, length] = [0.2 + 0.6 * unknown('p'), 0.8 * unknown('common'), 300 * 10 ** unknown('length')];
    const items = Array.from({ length: 16 }, (_none, item) => {
      const isCommon = draw(seed, 'common', item) < common;
      return Array.from({ length: 5 }, (_sample, n) => {
        const isRight = draw(seed, 'right', item, isCommon ? 'all' : n) < p;
        return { isRight, answer: isRight ? 'right' : 'wrong' };
      });
    });
    const read = Array.from({ length: 40 }, (_none, n) => {
      const tokens = [250, 500, 1_000, 2_000][n % 4] ?? 0;
      return { tokens, isRight: draw(seed, 'reads', n) < Math.exp(-tokens / length) };
    });
    held.p += holds(accuracyOf(items), p);
    held.common += holds(correlationOf(items), common);
    held.length += holds(lengthOf(read), length);
  }
  // 95% of 200 are 190, give or take 3.1; percentiles of resampled questions held p in 87% and common errors in 83%
  for (const [name, times] of Object.entries(held)) expect(times, name).toBeGreaterThanOrEqual(182);
});

it('calibrate refuses a number of calls that says nothing [R13-LAB-CALIBRATE]', async () => {
  await expect(calibrate({ model: {} as never, calls: 10 })).rejects.toThrow('at least 40 calls');
});
