import type { VerificationVerdict } from '../../../checks/contracts.js';
import { FlyballError } from '../../../core/errors.js';
import { testsOf, whyUnmet } from './measured.js';

/** What speaks for or against an output being right. What was not measured is left out, not guessed. */
export interface ConfidenceFeatures {
  /** Composite score of verification. */
  readonly verify: number;
  /** Agreement of independent samples. */
  readonly consistency?: number;
  /** Share of claims that the evidence entails. */
  readonly evidence?: number;
  /** Repairs it took: each one speaks against it. */
  readonly repairs: number;
  /** Average log-probability of the generated tokens, at most 0. */
  readonly logProb?: number;
  /** The critic's overall assessment. */
  readonly critic?: number;
  /** Share of tests that pass. */
  readonly tests?: number;
}

/** How much each feature counts; `repairs` is taken off for each repair. */
export type ConfidenceWeights = Readonly<Record<keyof ConfidenceFeatures | 'bias', number>>;

/**
 * Set by hand from what should follow, until somebody fits them to labelled outcomes of their own:
 * - The six scores weigh 13 together and the bias is -9, so that all of them at 1 give σ(4) = 0.982, and σ = 0.5 lies at a
 *   mean of 0.69, near the consistency gate: what only just agrees with itself is a toss-up.
 * - A mean of 0.92 is what auto-commit takes (0.95) and one of 0.76 what review takes (0.70). The exit gates, each just
 *   passed, lie in between: such an output goes to a person.
 * - What was executed (tests) or compared with evidence (verify) weighs most, opinions of models (critic, consistency)
 *   less, and the fluency of the text (log-probability) least.
 * - A flawless output may have taken three repairs before somebody looks at it: 4 - 3·0.3 still reaches 0.95, 4 - 4·0.3 does not.
 */
export const CONFIDENCE_WEIGHTS: ConfidenceWeights = {
  bias: -9,
  verify: 3,
  tests: 3,
  consistency: 2,
  evidence: 2,
  critic: 2,
  logProb: 1,
  repairs: 0.3,
};

/**
 * σ(bias + Σ weight·feature - weight·repairs), from 0 to 1; higher with every score, lower with every repair.
 * The weights of missing features are spread over those that are there: a missing one counts like the mean of the others.
 */
export function confidenceOf(features: ConfidenceFeatures, weights: ConfidenceWeights = CONFIDENCE_WEIGHTS): number {
  const { repairs, logProb, ...scores } = features;
  const measured = Object.entries({
    ...scores,
    ...(logProb === undefined ? {} : { logProb: Math.exp(Math.min(0, logProb)) }), // the mean probability of a token
  }).filter((entry): entry is [Exclude<keyof ConfidenceFeatures, 'repairs'>, number] => entry[1] !== undefined);
  for (const [name, value] of [...measured, ['repairs', repairs] as const]) {
    if (!Number.isFinite(value) || value < 0)
      throw new FlyballError('INPUT_INVALID', `Confidence needs ${name} of at least 0, got ${value}.`);
  }
  const sumOf = (names: readonly (keyof ConfidenceFeatures)[]) => names.reduce((sum, name) => sum + weights[name], 0);
  const mean =
    measured.reduce((sum, [name, value]) => sum + weights[name] * Math.min(1, value), 0) /
    sumOf(measured.map(([name]) => name));
  return sigmoid(weights.bias + sumOf(SCORES) * mean - weights.repairs * repairs);
}

const SCORES = ['verify', 'consistency', 'evidence', 'logProb', 'critic', 'tests'] as const;

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The features of an output that was verified. Tests, samples, claims or a rubric that were not there are no features. */
export function featuresOf(
  verdict: VerificationVerdict,
  made: { readonly repairs: number; readonly logProb?: number },
): ConfidenceFeatures {
  const { consistency } = verdict;
  const tests = testsOf(verdict);
  const hasRubric = !verdict.skipped.some(({ level }) => level === 'rubric');
  return {
    verify: verdict.composite,
    repairs: made.repairs,
    ...(made.logProb === undefined ? {} : { logProb: made.logProb }),
    ...(consistency === undefined ? {} : { consistency: consistency.score }),
    ...evidenceIn(verdict),
    ...(hasRubric ? { critic: verdict.aggregate } : {}),
    ...(tests.ran === 'none' ? {} : { tests: tests.rate }),
  };
}

/** Claims that were to be checked and were not carry nothing; where nothing is claimed there is no such feature. */
function evidenceIn(verdict: VerificationVerdict): Pick<ConfidenceFeatures, 'evidence'> {
  const { claims } = verdict;
  if (claims.length > 0)
    return { evidence: claims.filter((claim) => claim.verdict === 'entail').length / claims.length };
  return whyUnmet(verdict, 'semantic') === undefined ? {} : { evidence: 0 };
}
