import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONFIDENCE_WEIGHTS, type ConfidenceFeatures, confidenceOf, featuresOf } from './confidence.js';
import { bareVerdict, claim, report, verdict } from './exit.test-data.js';
import { dispositionOf } from './exit-report.js';
import { EXIT_DEFAULTS } from './settings.js';

const FLAWLESS: Required<ConfidenceFeatures> = {
  verify: 1,
  consistency: 1,
  evidence: 1,
  repairs: 0,
  logProb: 0,
  critic: 1,
  tests: 1,
};
const OPTIONAL = ['consistency', 'evidence', 'logProb', 'critic', 'tests'] as const;

const share = fc.nat(1000).map((n) => n / 1000);
const anyFeatures: fc.Arbitrary<ConfidenceFeatures> = fc.record(
  {
    verify: share,
    repairs: fc.nat(10),
    consistency: share,
    evidence: share,
    critic: share,
    tests: share,
    logProb: fc.nat(500).map((n) => -n / 100),
  },
  { requiredKeys: ['verify', 'repairs'] },
);

function without(features: ConfidenceFeatures, name: (typeof OPTIONAL)[number]): ConfidenceFeatures {
  const { [name]: _, ...rest } = features;
  return rest;
}

describe('confidence', () => {
  it('is the sigmoid of the weighted features [R4-EXIT-CONFIDENCE]', () => {
    const features = { verify: 0.9, consistency: 0.8, evidence: 0.7, repairs: 2, logProb: -0.5, critic: 0.6, tests: 1 };
    const sum = -9 + 3 * 0.9 + 2 * 0.8 + 2 * 0.7 - 0.3 * 2 + 1 * Math.exp(-0.5) + 2 * 0.6 + 3 * 1;
    expect(confidenceOf(features)).toBeCloseTo(1 / (1 + Math.exp(-sum)), 12);
  });

  it('commits a flawless result alone, up to three repairs [R4-EXIT-CONFIDENCE]', () => {
    expect(confidenceOf(FLAWLESS)).toBeCloseTo(0.982, 3);
    const after = [0, 1, 2, 3, 4].map((repairs) => confidenceOf({ ...FLAWLESS, repairs }) >= EXIT_DEFAULTS.pAuto);
    expect(after).toEqual([true, true, true, true, false]);
  });

  it('commits a good result alone, sends one that just passes the gates to a person and rejects a poor one [R4-EXIT-CONFIDENCE]', () => {
    const good = { verify: 0.95, consistency: 0.9, evidence: 0.9, repairs: 0, logProb: -0.15, critic: 0.93, tests: 1 };
    const { correctness, consistency, completeness } = EXIT_DEFAULTS.gates;
    const passing = {
      verify: correctness,
      consistency,
      evidence: completeness,
      repairs: 0,
      critic: completeness,
      tests: 1,
    };
    const poor = { verify: 0.6, consistency: 0.5, evidence: 0.5, repairs: 0, critic: 0.6, tests: 1 };
    expect([good, passing, poor].map((features) => dispositionOf(confidenceOf(features)))).toEqual([
      'auto-commit',
      'human-review',
      'reject',
    ]);
  });

  it.each(['verify', ...OPTIONAL] as const)('rises with %s [R4-EXIT-CONFIDENCE]', (name) => {
    fc.assert(
      fc.property(anyFeatures, share, share, (features, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((n) => (name === 'logProb' ? n * 5 - 5 : n));
        fc.pre((high ?? 0) - (low ?? 0) > 1e-3);
        expect(confidenceOf({ ...features, [name]: high })).toBeGreaterThan(confidenceOf({ ...features, [name]: low }));
      }),
    );
  });

  it('falls with every repair [R4-EXIT-CONFIDENCE]', () => {
    fc.assert(
      fc.property(anyFeatures, (features) => {
        expect(confidenceOf({ ...features, repairs: features.repairs + 1 })).toBeLessThan(confidenceOf(features));
      }),
    );
  });

  it('counts a missing feature like the mean of the others, never as good [R4-EXIT-CONFIDENCE]', () => {
    for (const name of OPTIONAL) {
      fc.assert(
        fc.property(anyFeatures, (features) => {
          const missing = confidenceOf(without(features, name));
          const best = confidenceOf({ ...features, [name]: name === 'logProb' ? 0 : 1 });
          const worst = confidenceOf({ ...features, [name]: name === 'logProb' ? -50 : 0 });
          expect(missing).toBeLessThanOrEqual(best + 1e-12);
          expect(missing).toBeGreaterThanOrEqual(worst - 1e-12);
        }),
      );
      const even = {
        verify: 0.8,
        consistency: 0.8,
        evidence: 0.8,
        repairs: 1,
        logProb: Math.log(0.8),
        critic: 0.8,
        tests: 0.8,
      };
      expect(confidenceOf(without(even, name))).toBeCloseTo(confidenceOf(even), 12);
    }
    const halfBad = { verify: 0.5, repairs: 0 };
    expect(confidenceOf(halfBad)).toBeLessThan(confidenceOf({ ...halfBad, tests: 1, critic: 1 }));
    expect(dispositionOf(confidenceOf(halfBad))).toBe('reject');
  });

  it('is always between 0 and 1, and takes weights of its own [R4-EXIT-CONFIDENCE]', () => {
    fc.assert(
      fc.property(anyFeatures, (features) => {
        expect(confidenceOf(features)).toBeGreaterThan(0);
        expect(confidenceOf(features)).toBeLessThan(1);
      }),
    );
    expect(confidenceOf(FLAWLESS, { ...CONFIDENCE_WEIGHTS, bias: -13 })).toBeCloseTo(0.5, 12);
  });

  it.each([
    { verify: Number.NaN },
    { tests: -0.1 },
    { repairs: -1 },
    { repairs: Number.POSITIVE_INFINITY },
    { logProb: Number.NaN },
  ])('is not made up from %j', (wrong) => {
    expect(() => confidenceOf({ ...FLAWLESS, ...wrong })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  it('does not rise beyond a score of 1 or a log-probability of 0 [R4-EXIT-CONFIDENCE]', () => {
    expect(confidenceOf({ ...FLAWLESS, critic: 7, logProb: 3 })).toBe(confidenceOf(FLAWLESS));
  });
});

describe('the features of a verdict', () => {
  it('are all seven where all was measured [R4-EXIT-CONFIDENCE]', () => {
    const measured = verdict({
      composite: 0.9,
      aggregate: 0.8,
      testPassRate: 0.7,
      consistency: { score: 0.6, verdict: 'low-confidence', n: 3, best: 0, voting: 'majority' },
      claims: [claim('entail'), claim('neutral'), claim('contradict'), claim('entail')],
    });
    expect(featuresOf(measured, { repairs: 2, logProb: -0.2 })).toEqual({
      verify: 0.9,
      consistency: 0.6,
      evidence: 0.5,
      repairs: 2,
      logProb: -0.2,
      critic: 0.8,
      tests: 0.7,
    });
  });

  it('leave out what was not measured, the full marks of no tests among it [R4-EXIT-CONFIDENCE]', () => {
    const bare = bareVerdict({ composite: 0.9, testPassRate: 1, skipped: [{ level: 'rubric', why: 'no judge' }] });
    expect(featuresOf(bare, { repairs: 0 })).toStrictEqual({ verify: 0.9, repairs: 0 });
  });

  it('count claims that were to be checked and were not as carried by nothing [R4-EXIT-CONFIDENCE]', () => {
    const skipped = (unmet: boolean) =>
      bareVerdict({ skipped: [{ level: 'semantic', why: 'why not', ...(unmet ? { unmet } : {}) }] });
    expect(featuresOf(skipped(true), { repairs: 0 }).evidence).toBe(0);
    expect(featuresOf(skipped(false), { repairs: 0 })).not.toHaveProperty('evidence');
  });

  it('count tests that could not be run as failed [R4-EXIT-CONFIDENCE]', () => {
    const broken = verdict({ tests: [report({ problem: 'timed out' })] });
    expect(featuresOf(broken, { repairs: 0 }).tests).toBe(0);
  });
});
