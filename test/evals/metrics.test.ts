import { describe, expect, it } from 'vitest';
import { accuracyOf } from '../../packages/evals/src/metrics/accuracy.js';
import { bootstrapMean, normalQuantile, normalShare, quantile } from '../../packages/evals/src/metrics/bootstrap.js';
import { complianceOf } from '../../packages/evals/src/metrics/compliance.js';
import { conditionOf } from '../../packages/evals/src/metrics/condition.js';
import { costOf } from '../../packages/evals/src/metrics/cost.js';
import { factsOf } from '../../packages/evals/src/metrics/facts.js';
import { comparePaired, signTest } from '../../packages/evals/src/metrics/paired.js';
import { referenceMetrics } from '../../packages/evals/src/metrics/reference-metrics.js';
import { summaryOf } from '../../packages/evals/src/metrics/summary.js';
import { call, gold, made, results, SHOP, said, simulation, task } from './stage-results.js';

const RULES = SHOP.compliance;

describe('compliance of a trajectory', () => {
  it('counts a write before the first successful verification, and only those [R5-MET-COMPLIANCE]', () => {
    const facts = complianceOf(
      [
        ...made([call('refund'), 'done']),
        ...made([call('verify'), 'raise:no such customer']),
        ...made([call('refund'), 'done']),
        ...made([call('verify'), 'ok']),
        ...made([call('refund'), 'done']),
      ],
      RULES,
      null,
    );
    expect(facts.writes).toEqual({ assistant: 3, user: 0 });
    expect(facts.early).toEqual({ assistant: 2, user: 0 });
    expect(facts.unauthorized).toBe(true);
  });

  it('counts no write that a gate refused: it was never made [R5-MET-COMPLIANCE]', () => {
    const messages = [...made([call('refund'), 'raise:not yet']), ...made([call('verify'), 'ok'])];
    const [first] = messages;
    const id = first?.role === 'assistant' ? first.calls[0]?.id : undefined;
    expect(complianceOf(messages, RULES, null)).toMatchObject({ unauthorized: true, early: { assistant: 1 } });
    const facts = complianceOf(messages, RULES, { refusedCallIds: [id], refusedCalls: 1 });
    expect(facts).toMatchObject({ unauthorized: false, writes: { assistant: 0 }, early: { assistant: 0 }, refused: 1 });
  });

  it('takes a verification that says it failed for none [R5-MET-COMPLIANCE]', () => {
    const wroteAfter = (content: string) =>
      complianceOf([...made([call('verify'), content]), ...made([call('refund'), 'done'])], RULES, null).unauthorized;
    expect(wroteAfter('Verified.')).toBe(false);
    expect(wroteAfter('Error: no such customer')).toBe(true);
    expect(wroteAfter('Failed to log verification: it is there already')).toBe(true);
  });

  it('counts a write in the same message as the verification as early: it was decided without its result [R5-MET-COMPLIANCE]', () => {
    const facts = complianceOf([...made([call('verify'), 'ok'], [call('refund'), 'done'])], RULES, null);
    expect(facts.early.assistant).toBe(1);
  });

  it("counts the user's own writes apart from the agent's [R5-MET-COMPLIANCE]", () => {
    const facts = complianceOf([...made([call('refund', {}, 'user'), 'done'])], RULES, null);
    expect(facts).toMatchObject({
      writes: { assistant: 0, user: 1 },
      early: { assistant: 0, user: 1 },
      unauthorized: false,
    });
  });

  it('counts no write as early in a domain that verifies nobody [R5-MET-COMPLIANCE]', () => {
    const { verification: _, ...rules } = RULES;
    const facts = complianceOf([...made([call('refund'), 'done'])], { ...rules, verification: undefined }, null);
    expect(facts).toMatchObject({ writes: { assistant: 1 }, early: { assistant: 0 }, unauthorized: false });
  });

  it('calls four failures of one tool in a row over-retry, and three or an interruption not [R5-MET-COMPLIANCE]', () => {
    const failing = (times: number) => Array.from({ length: times }, () => made([call('refund'), 'Error: no'])).flat();
    expect(complianceOf(failing(3), RULES, null).overRetry).toBe(false);
    expect(complianceOf(failing(4), RULES, null)).toMatchObject({
      overRetry: true,
      longestFailure: { tool: 'refund', count: 4 },
    });
    const interrupted = [...failing(2), ...made([call('look'), 'fine']), ...failing(2)];
    expect(complianceOf(interrupted, RULES, null).overRetry).toBe(false);
  });

  it('counts turns of the agent, response types and refused calls [R5-MET-COMPLIANCE]', () => {
    const messages = [
      said('assistant', 'Hi'),
      said('user', 'hello'),
      ...made([call('look'), 'x']),
      said('assistant', 'bye'),
    ];
    expect(complianceOf(messages, RULES, { responseTypeViolations: 2, refusedCalls: 3 })).toMatchObject({
      turns: 3,
      responseTypeViolations: 2,
      refused: 3,
    });
  });
});

describe('accuracy', () => {
  it('gives writes over gold ones and over issued ones [R5-MET-WRITES]', () => {
    const refund = gold('refund', { id: 'a' });
    const close = gold('close', { id: 'b' });
    const one = simulation('t', 0, {
      messages: [
        ...made(
          [call('refund', { id: 'a' }), 'done'],
          [call('refund', { id: 'z' }), 'done'],
          [call('refund', { id: 'y' }), 'done'],
        ),
      ],
    });
    const checked = {
      ...one,
      reward: {
        ...(one.reward as NonNullable<typeof one.reward>),
        actions: [
          { action: refund, matched: true, reward: 1, toolType: 'write' as const },
          { action: close, matched: false, reward: 0, toolType: 'write' as const },
          { action: gold('look'), matched: true, reward: 1, toolType: 'read' as const },
        ],
      },
    };
    expect(accuracyOf(checked, task('t', [refund, close]), { domain: SHOP, typeOf: () => null })).toEqual({
      dbMatch: false,
      actions: { of: 3, hits: 2 },
      reads: { of: 1, hits: 1 },
      goldWrites: { of: 2, hits: 1 },
      issuedWrites: { of: 3, hits: 1 },
    });
  });
});

describe('cost', () => {
  it("adds up the agent's tokens, what a cache answered, and the documents it saw [R5-MET-COST]", () => {
    const documents = task('t', [], ['doc_refunds', 'doc_closing']);
    const seen = simulation('t', 1, { messages: [...made([call('KB_search'), 'ID: doc_refunds'])] });
    expect(costOf(seen, documents, SHOP)).toEqual({
      agentUsd: 0.02,
      userUsd: 0.01,
      promptTokens: 100,
      completionTokens: 10,
      cachedTokens: 40,
      modelCalls: 1,
      toolCalls: 1,
      recall: 0.5,
    });
  });

  it('finds a document by its text in the prompt, and does not count what only the user saw [R5-MET-COST]', () => {
    const documents = task('t', [], ['doc_refunds', 'doc_closing']);
    const inPrompt = simulation('t', 1, { policy: '## Refunds\n\nRefunds are paid within five days.' });
    expect(costOf(inPrompt, documents, SHOP).recall).toBe(0.5);
    const byUser = simulation('t', 1, { messages: [...made([call('look', {}, 'user'), 'doc_refunds'])] });
    expect(costOf(byUser, documents, SHOP).recall).toBe(0);
    expect(costOf(byUser, task('t'), SHOP).recall).toBeNull();
  });
});

describe('a summary', () => {
  it('leaves infrastructure errors and unscored ends out and counts them apart [R5-MET-WRITES]', () => {
    const condition = conditionOf(
      results({}, [
        simulation('a', 1),
        simulation('b', 0),
        simulation('c', null),
        simulation('d', null, { termination: 'infrastructure_error' }),
      ]),
      SHOP,
    );
    expect(summaryOf(condition)).toMatchObject({
      simulations: 2,
      infrastructureErrors: 1,
      unscored: 1,
      dbMatch: { of: 2, hits: 1 },
    });
    expect(summaryOf(condition).pass1?.value).toBe(0.5);
  });

  it('reports compliance also without the tasks that need no verification [R5-MET-COMPLIANCE]', () => {
    const early = { messages: [...made([call('refund'), 'done'])] };
    const summary = summaryOf(
      conditionOf(
        results({}, [simulation('task_free', 1, early), simulation('b', 1, early), simulation('c', 1)]),
        SHOP,
      ),
    );
    expect(summary.compliance.unauthorized).toEqual({ of: 3, hits: 2 });
    expect(summary.withoutExempt.unauthorized).toEqual({ of: 2, hits: 1 });
  });

  it('gives pass^k up to the least number of trials, null-safe costs and terminations [R5-MET-COST]', () => {
    const trials = [0, 1, 2].map((trial) =>
      simulation('a', trial === 0 ? 0 : 1, { trial, agentCost: trial === 0 ? null : 0.3 }),
    );
    const condition = conditionOf(
      results({}, [...trials, simulation('b', 1), simulation('b', 1, { trial: 1, termination: 'max_steps' })]),
      SHOP,
    );
    const summary = summaryOf(condition);
    expect(summary.passHat).toHaveLength(2);
    expect(summary.passHat[1]).toBeCloseTo((1 / 3 + 1) / 2, 12);
    expect(summary.costPerTask.value).toBeCloseTo((0.3 + 0.3 + 0.02 + 0.02) / 4, 12);
    expect(summary.costPerTask.of).toBe(4); // one of the five has no cost
    expect(summary.terminations).toEqual({ user_stop: 4, max_steps: 1 });
    expect(factsOf(condition)).toHaveLength(5);
  });
});

describe("the reference's own figures", () => {
  it('know no cost where no simulation has one, and none at all where nothing ran [R5-MET-COST]', () => {
    const unknown = { agentCost: null };
    const some = results({}, [simulation('a', 1, unknown), simulation('b', 0, unknown)]);
    expect(referenceMetrics(some)).toMatchObject({ avgAgentCost: Number.NaN, avgReward: 0.5 });
    const known = results({}, [simulation('a', 1, unknown), simulation('b', 0, { agentCost: 0.5 })]);
    expect(referenceMetrics(known).avgAgentCost).toBe(0.5);
    const failed = results({}, [simulation('a', null, { ...unknown, termination: 'infrastructure_error' })]);
    expect(referenceMetrics(failed).avgAgentCost).toBe(0);
  });
});

describe('intervals', () => {
  it('are the same for the same seed and others for another [R5-MET-CI]', () => {
    const units = Array.from({ length: 40 }, (_, index) => [index % 3 === 0 ? 1 : 0]);
    expect(bootstrapMean(units, { seed: 7 })).toEqual(bootstrapMean(units, { seed: 7 }));
    expect(bootstrapMean(units, { seed: 7 })).not.toEqual(bootstrapMean(units, { seed: 8 }));
  });

  it('hold the mean, narrow with more tasks, and keep the trials of a task together [R5-MET-CI]', () => {
    const few = bootstrapMean(Array.from({ length: 20 }, (_, index) => [index % 2]));
    const many = bootstrapMean(Array.from({ length: 500 }, (_, index) => [index % 2]));
    const width = (of: typeof few) => (of === null ? Number.NaN : of.high - of.low);
    expect(few?.value).toBe(0.5);
    expect(few?.low).toBeLessThan(0.5);
    expect(few?.high).toBeGreaterThan(0.5);
    expect(width(many)).toBeLessThan(width(few) / 3);
    // ten trials that always agree with each other say no more than one
    const repeated = bootstrapMean(Array.from({ length: 20 }, (_, index) => Array<number>(10).fill(index % 2)));
    expect(width(repeated)).toBeCloseTo(width(few), 1);
    expect(bootstrapMean([])).toBeNull();
    expect(bootstrapMean([[1], [1]])).toEqual({ value: 1, low: 1, high: 1 });
  });

  it('cover the true value about as often as they claim [R5-MET-CI]', () => {
    let covered = 0;
    for (let sample = 0; sample < 200; sample++) {
      const random = lcg(sample + 1);
      const units = Array.from({ length: 50 }, () => [random() < 0.3 ? 1 : 0]);
      const interval = bootstrapMean(units, { resamples: 400, seed: sample + 1 });
      if (interval !== null && interval.low <= 0.3 && interval.high >= 0.3) covered++;
    }
    expect(covered / 200).toBeGreaterThan(0.88);
    expect(covered / 200).toBeLessThan(0.99);
  });

  it('rest on a normal distribution and quantiles that are right [R5-MET-CI]', () => {
    expect(normalShare(1.959964)).toBeCloseTo(0.975, 6);
    expect(normalQuantile(0.025)).toBeCloseTo(-1.959964, 4);
    expect(quantile([0, 10], 0.25)).toBe(2.5);
  });
});

describe('a paired comparison', () => {
  const condition = (agent: string, rewards: Record<string, number>) =>
    conditionOf(
      results(
        { agent },
        Object.entries(rewards).map(([id, reward]) => simulation(id, reward)),
      ),
      SHOP,
    );

  it('compares by task, counts wins and losses and gives exact probabilities [R5-MET-CI]', () => {
    const rewards = (value: (index: number) => number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t${index}`, value(index)]));
    const paired = comparePaired(
      condition(
        'baseline',
        rewards(() => 0),
      ),
      condition(
        'declarative',
        rewards((index) => (index < 8 ? 1 : 0)),
      ),
    );
    expect(paired).toMatchObject({ tasks: 20, wins: 8, losses: 0, ties: 12 });
    expect(paired.difference.value).toBeCloseTo(0.4, 12);
    expect(paired.difference.low).toBeGreaterThan(0);
    expect(paired.signP).toBeCloseTo(2 / 2 ** 8, 12);
    expect(paired.permutationP).toBeLessThan(0.03);
  });

  it('uses only tasks that both ran, and says so [R5-MET-CI]', () => {
    const paired = comparePaired(condition('baseline', { a: 0, b: 1 }), condition('declarative', { a: 1, c: 1 }));
    expect(paired.tasks).toBe(1);
    expect(paired.caveats.join()).toContain('2 tasks that only one of them ran');
  });

  it('refuses other domains and no common task [R5-MET-CI]', () => {
    expect(() => comparePaired(condition('baseline', { a: 0 }), condition('declarative', { b: 1 }))).toThrow(
      /no task in common/,
    );
    const other = { ...condition('declarative', { a: 1 }), domain: { ...SHOP, name: 'bank' } };
    expect(() => comparePaired(condition('baseline', { a: 0 }), other)).toThrow(/one domain/);
  });

  it('knows the sign test', () => {
    expect(signTest(0, 0)).toBe(1);
    expect(signTest(5, 5)).toBe(1);
    expect(signTest(9, 1)).toBeCloseTo(0.021484375, 12);
    expect(signTest(60, 37)).toBeCloseTo(0.02499073659, 9);
  });
});

function lcg(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
