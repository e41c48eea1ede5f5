import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { families, type Questions, simulatedModel } from 'flyball/testing/simulated';
import { describe, expect, it } from 'vitest';
import { draw } from './draw.js';
import type { SimulatedCall } from './simulated-model.js';

const questions: Questions = {
  ask: (item) => `Task #${item}: which one?`,
  truth: (item) => `right ${item}`,
  wrong: (item, n) => `wrong ${item}.${n}`,
};
/** The call of an item, with a key of its own. */
const callOf = (item: number, sample = 0, text = questions.ask(item)): SimulatedCall => ({
  request: { session: 's', model: 'm', messages: [], tools: [], toolChoice: 'auto', sampling: {} },
  key: `${item} ${sample}`,
  text,
  item,
  chance: (purpose) => draw('t', purpose, `${item} ${sample}`),
  shared: (purpose) => draw('t', purpose, item),
});
const N = 2_000;
const items = Array.from({ length: N }, (_none, item) => item);
const share = (is: (item: number) => boolean): number => items.filter(is).length / N;
/** Within four standard errors. */
const near = (measured: number, p: number): void =>
  expect(Math.abs(measured - p)).toBeLessThan(4 * Math.sqrt(Math.max(p * (1 - p), 1e-6) / N));

describe('draws', () => {
  it('follow from their names alone, and are spread evenly [R13-LAB-NOISE]', () => {
    expect(draw('a', 1)).toBe(draw('a', 1));
    expect(draw('a', 1)).not.toBe(draw('a', 2));
    near(
      share((item) => draw('even', item) < 0.3),
      0.3,
    );
  });
});

describe('families', () => {
  it('F1: is right with p, shares errors on some items, and abstains [R13-LAB-FAMILIES]', () => {
    const plain = families.oracle({ questions, p: 0.6, wrong: 4 });
    near(
      share((item) => plain(callOf(item)) === questions.truth(item)),
      0.6,
    );
    const common = families.oracle({ questions, p: 0.6, wrong: 4, common: 0.5 });
    const agree = share((item) => common(callOf(item, 1)) === common(callOf(item, 2)));
    near(agree, 0.5 + 0.5 * (0.6 ** 2 + 4 * 0.1 ** 2));
    const silent = families.oracle({ questions, p: 1, abstains: 0.2 });
    near(
      share((item) => typeof silent(callOf(item)) === 'object'),
      0.2,
    );
    const hard = families.oracle({ questions, p: 0, difficulty: { a: 3, b: 2 } });
    near(
      share((item) => hard(callOf(item)) === questions.truth(item)),
      0.6,
    );
  });

  it('F2: gets better by notes that help, unless it forgets them [R13-LAB-FAMILIES]', () => {
    const critic = families.critic({ useful: 0.7 });
    near(
      share((item) => String(critic(callOf(item))).includes('HINT')),
      0.7,
    );
    const worker = families.improver({ questions, p: 0.3, helped: 0.9, forgets: 0.5 });
    near(
      share((item) => worker(callOf(item)) === questions.truth(item)),
      0.3,
    );
    near(
      share((item) => worker(callOf(item, 0, `Task #${item} HINT`)) === questions.truth(item)),
      0.6,
    );
  });

  it('F3: approves by sensitivity and specificity, and favors a place [R13-LAB-FAMILIES]', () => {
    const isGood = ({ item }: SimulatedCall): boolean => item % 2 === 0;
    const judge = families.judge({ isGood, tpr: 0.8, fpr: 0.2 });
    near(
      share((item) => judge(callOf(item)) === 'YES'),
      0.5,
    );
    const comparer = families.comparer({ better: () => 'second', sees: 0.9, bias: 0.25, says: (choice) => choice });
    near(
      share((item) => comparer(callOf(item)) === 'second'),
      0.75 * 0.9,
    );
  });

  it('F4: uses a fact the less, the longer its context is, or the nearer to the middle [R13-LAB-FAMILIES]', () => {
    const long = (item: number): string => questions.ask(item).padEnd(2_000, 'x');
    const reader = families.reader({ questions, length: 500 });
    near(
      share((item) => reader(callOf(item, 0, long(item))) === questions.truth(item)),
      Math.exp(-1),
    );
    const needs = families.reader({ questions, length: 500, needs: () => 'FACT', guess: 0.1 });
    near(
      share((item) => needs(callOf(item)) === questions.truth(item)),
      0.1,
    );
    const middle = families.reader({ questions, length: 500, needs: () => 'FACT', curve: 'middle' });
    const atEnd = (item: number): string => `${long(item)} FACT`;
    expect(share((item) => middle(callOf(item, 0, atEnd(item))) === questions.truth(item))).toBeGreaterThan(0.98);
  });

  it('F5 and F6: loses the gap in one go, moves right with its hit rate, scores with noise [R13-LAB-FAMILIES]', () => {
    const hopper = families.hopper({ questions, p: 0.9, hops: 3, gap: 0.2 });
    near(
      share((item) => hopper(callOf(item)) === questions.truth(item)),
      0.9 ** 3 * 0.8,
    );
    near(
      share((item) => hopper(callOf(item, 0, `Task #${item} Hop 1`)) === questions.truth(item)),
      0.9,
    );
    const mover = families.mover(() => ['left', 'right', 'up'], 0.7);
    near(
      share((item) => mover(callOf(item)) === 'left'),
      0.7,
    );
    const scorer = families.scorer(() => 1, 0.5);
    const mean = items.reduce((sum, item) => sum + Number(scorer(callOf(item))), 0) / N;
    expect(Math.abs(mean - 1)).toBeLessThan((4 * 0.5) / Math.sqrt(N));
  });

  it('F7 to F9: plans that are none, labels by confusion, orders of strangers [R13-LAB-FAMILIES]', () => {
    const planner = families.planner({ plan: () => '{}', malformed: 0.1 });
    near(
      share((item) => planner(callOf(item)) !== '{}'),
      0.1,
    );
    const router = families.router({
      labels: ['a', 'b'],
      labelOf: () => 'a',
      confusion: [
        [0.8, 0.2],
        [0, 1],
      ],
    });
    near(
      share((item) => router(callOf(item)) === 'a'),
      0.8,
    );
    const victim = families.victim({ isInjected: () => true, obeys: 0.3, attacked: () => 'bad', task: () => 'good' });
    near(
      share((item) => victim(callOf(item)) === 'bad'),
      0.3,
    );
  });

  it('F10 and F11: finds by recall, extracts by recall and invents [R13-LAB-FAMILIES]', async () => {
    const retriever = families.retriever({ seed: 1, recall: 0.7, right: (item) => `page ${item}` });
    const found = await Promise.all(
      items.map(async (item) =>
        (await retriever.retrieve(questions.ask(item), { limit: 3, signal: AbortSignal.abort() })).some(
          ({ text }) => text === `page ${item}`,
        ),
      ),
    );
    near(found.filter(Boolean).length / N, 0.7);
    const extractor = families.extractor({ facts: () => ['a'], recall: 0.6, invents: 0.1, invented: () => 'z' });
    near(
      share((item) => String(extractor(callOf(item))).includes('a')),
      0.6,
    );
    near(
      share((item) => String(extractor(callOf(item))).includes('z')),
      0.1,
    );
  });

  it('F12 to F14: changes at an item, concedes towards its reserve, takes its time [R13-LAB-FAMILIES]', () => {
    const drifter = families.drifter(() => 'before', { from: 100, family: () => 'after' });
    expect([drifter(callOf(99)), drifter(callOf(100))]).toEqual(['before', 'after']);
    const buyer = families.bargainer({ role: 'buyer', reserve: 100, opening: 60, concession: 0.5 });
    expect(buyer(callOf(1, 0, 'Round 1. Offer: 90'))).toBe('Offer: 60.00');
    expect(buyer(callOf(1, 0, 'Round 3. Offer: 90'))).toBe('ACCEPT 90'); // 100 - 40 / 4
    const slow = families.slow(() => 'x', { meanMs: 100 });
    const mean =
      items.reduce((sum, item) => sum + ((slow(callOf(item)) as { latencyMs: number }).latencyMs ?? 0), 0) / N;
    expect(Math.abs(mean - 100)).toBeLessThan(12);
  });
});

it('a simulated model says the same whatever the order and width of the calls, and counts a call once [R13-LAB-NOISE]', async () => {
  const replies = async (width: number): Promise<unknown> => {
    const model = simulatedModel({ seed: 7, families: families.oracle({ questions, p: 0.5 }) });
    const agent: Agent<null, unknown> = async (run) =>
      done(
        await run.all(
          [0, 1, 2, 3, 4, 5].map(
            (item) => async (own) => (await own.ask({ name: 's', model, setup: '' }, questions.ask(item))).text,
          ),
          width,
        ),
      );
    const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
    const outcome = await (await runtime.start('agent', null, { id: 'one', budget: budget() })).outcome();
    await runtime.close();
    expect(model.calls.size).toBe(6);
    return 'value' in outcome ? outcome.value : outcome;
  };
  expect(await replies(1)).toEqual(await replies(6));
});
