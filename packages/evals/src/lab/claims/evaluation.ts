import { type Agent, done } from 'flyball';
import { reAct, zeroShot } from 'flyball/patterns';
import { tool } from 'flyball/tools';
import { applyRule, type DriftRule } from '../../online/drift-rules.js';
import { type CaseOutcome, type Measurement, promote, releaseGate } from '../../suites/gate.js';
import { itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly } from '../exactly.js';
import { atLeast } from '../formulas.js';
import { draw, type Family } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';

interface Typed {
  /** Share of calls whose arguments do not fit. */
  readonly misfits: number;
  readonly iterations: number;
}

const SUM = { type: 'object', properties: { item: { type: 'integer' } }, required: ['item'] } as const;

/** A model that gets arguments wrong: the schema refuses them, and it is told what is wrong. */
function typed({ misfits, iterations }: Typed): Arm {
  const worker: Family = (call) => {
    const found = /The sum is (-?\d+)/.exec(call.text)?.[1];
    if (found !== undefined) return found;
    const args = call.chance('misfits') < misfits ? { item: 'unknown' } : { item: call.item };
    return { text: '', toolCalls: [{ id: call.key, name: 'sum', arguments: JSON.stringify(args) }] };
  };
  return solving(`I2 ${misfits} ${iterations}`, {
    questions: arithmetic,
    families: { worker },
    agent: (model) => {
      const sum = tool({
        name: 'sum',
        description: 'Adds up the task with this number. Not for other sums.',
        input: SUM,
        effect: 'pure',
        // what does not fit never gets here: an answer of it would be wrong
        execute: async ({ item }) => `The sum is ${Number.isInteger(item) ? arithmetic.truth(Number(item)) : 0}`,
      });
      return reAct(
        { worker: seat(model, 'worker'), tools: [sum] },
        { maxIterations: iterations, repeatLimit: 1_000 },
      ) as Agent<string, string>;
    },
  });
}

/** One call whose arguments are taken as they are. */
const untyped = ({ misfits }: Typed): Arm =>
  solving(`untyped ${misfits}`, {
    questions: arithmetic,
    families: { worker: (call) => (call.chance('misfits') < misfits ? '0' : arithmetic.truth(call.item)) },
    agent: (model) => zeroShot(seat(model, 'worker')) as Agent<string, string>,
  });

const typedClaim = (given: Typed): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'I2',
  world: 'W10',
  family: 'F7',
  parameters: { ...given },
  formula: '1 - f^(k - 1), and nothing that does not fit is executed',
  arm: typed(given),
  baseline: untyped(given),
  expected: () =>
    exactly((flip) => {
      for (let calls = 1; calls < given.iterations; calls++)
        if (!flip(given.misfits)) return { value: true, calls: calls + 1 };
      return { value: false, calls: given.iterations };
    }),
  expectedBaseline: onceExpected(1 - given.misfits),
});

interface Gated {
  readonly cases: number;
  /** Pass rate of the change under test. The baseline passes everything. */
  readonly rate: number;
  readonly tolerance: number;
}

const measurementOf = (outcomes: readonly CaseOutcome[]): Measurement => ({
  suite: { name: 'lab', version: '1', hash: 'h' },
  pins: {},
  outcomes,
});
const casesOf = (n: number, passes: (at: number) => boolean): readonly CaseOutcome[] =>
  Array.from({ length: n }, (_none, at) => ({
    id: `c${at}`,
    category: 'positive',
    runs: 1,
    passes: Number(passes(at)),
    costUsd: null,
    latencyMs: null,
  }));

/** Each item is a release; the score says whether the gate stops it. */
function gate({ cases, rate, tolerance }: Gated, isGated: boolean): Arm {
  return solving(`V16 ${cases} ${rate} ${tolerance} ${isGated}`, {
    questions: arithmetic,
    families: {},
    agent: (_model, { seed }): Agent<string, boolean> => {
      const before = promote(measurementOf(casesOf(cases, () => true)), {
        by: 'lab',
        reason: 'first',
        at: '2026-01-01',
      });
      return async (_run, ask) => {
        const measured = measurementOf(casesOf(cases, (at) => draw(seed, 'case', itemOf(ask), at) < rate));
        const report = releaseGate(measured, before, { total: tolerance, categories: { positive: tolerance } });
        return done(isGated && !report.passed);
      };
    },
    isRight: (_item, answer) => answer === true,
  });
}

/** It stays open as long as the share that fails is within the tolerance. */
const gateExpected = ({ cases, rate, tolerance }: Gated): Expectation => {
  const needed = Math.ceil(cases * (1 - tolerance) - 1e-9);
  return { value: chanceOf(1 - atLeast(needed, cases, rate)), calls: always(0) };
};

const gateClaim = (given: Gated): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'V16',
  world: 'W9',
  family: 'F1',
  parameters: { ...given },
  formula: 'binomial tail beyond the tolerance',
  arm: gate(given, true),
  baseline: gate(given, false),
  expected: () => gateExpected(given),
  expectedBaseline: () => ({ value: always(0) }),
});

interface Watched {
  readonly scores: number;
  readonly p: number;
  readonly below: number;
}

/** Each item is a window; the score says whether the rule sees a drift in it. */
function watched({ scores, p, below }: Watched, isWatched: boolean): Arm {
  const rule: DriftRule = {
    name: 'quality',
    signal: 'quality',
    metric: 'right',
    method: 'threshold',
    below,
    windowMs: 3_600_000,
    owner: 'lab',
    runbook: 'look',
  };
  return solving(`V17 ${scores} ${p} ${below} ${isWatched}`, {
    questions: arithmetic,
    families: {},
    agent:
      (_model, { seed }): Agent<string, boolean> =>
      async (_run, ask) => {
        const values = Array.from({ length: scores }, (_none, n) => Number(draw(seed, 'score', itemOf(ask), n) < p));
        return done(isWatched && applyRule(rule, values, []).verdict === 'drift');
      },
    isRight: (_item, answer) => answer === true,
  });
}

const watchedExpected = ({ scores, p, below }: Watched): Expectation => ({
  value: chanceOf(1 - atLeast(Math.ceil(scores * below - 1e-9), scores, p)),
  calls: always(0),
});

const watchedClaim = (given: Watched): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'V17',
  world: 'W8',
  family: 'F12',
  parameters: { ...given },
  formula: 'binomial tail below the threshold',
  arm: watched(given, true),
  baseline: watched(given, false),
  expected: () => watchedExpected(given),
  expectedBaseline: () => ({ value: always(0) }),
});

export const evaluation: readonly Claim[] = [
  {
    ...typedClaim({ misfits: 0.3, iterations: 4 }),
    id: 'I2-misfits',
    side: 'gains',
    says: 'A model that gets 30% of the arguments wrong, is told so, and tries again.',
  },
  {
    ...typedClaim({ misfits: 0, iterations: 4 }),
    id: 'I2-always-fits',
    side: 'loses',
    says: 'Arguments that always fit: the call of the tool costs a turn and gains nothing.',
  },
  {
    ...gateClaim({ cases: 40, rate: 0.85, tolerance: 0.1 }),
    id: 'V16-worse',
    side: 'gains',
    says: 'A release that fails 15% of forty cases, with a tolerance of 10%. Scores are releases that are stopped.',
  },
  {
    ...gateClaim({ cases: 40, rate: 1, tolerance: 0.1 }),
    id: 'V16-as-good',
    side: 'loses',
    says: 'A release that is as good as before: the gate stops nothing.',
  },
  {
    ...watchedClaim({ scores: 100, p: 0.85, below: 0.9 }),
    id: 'V17-drift',
    side: 'gains',
    says: 'Quality falls to 85%, and the rule says 90%, over windows of a hundred scores. Scores are windows with an alert.',
  },
  {
    ...watchedClaim({ scores: 100, p: 1, below: 0.9 }),
    id: 'V17-quiet',
    side: 'loses',
    says: 'Nothing drifts: the rule says nothing.',
  },
];
