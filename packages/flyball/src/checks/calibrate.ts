import { ConfigError } from '../core/errors.js';
import type { Calibration, JudgeVerdict } from './verdict.js';

/** What a person said about a case: whether it passes, and how good it is (0 to 1). */
export interface HumanLabel {
  readonly case: string;
  readonly passed: boolean;
  readonly score: number;
}

/** What a calibration must contain. */
export interface CalibrationBounds {
  /** Fewer labels say nothing: 50 where it is absent. */
  readonly minCases?: number;
  /** Cases of the suite that the judge will score: none of them may have been used to calibrate it. */
  readonly suite?: readonly string[];
}

const MIN_CASES = 50;
/** The agreement and correlation that a judge must reach. */
export const USABLE = { agreement: 0.7, correlation: 0.6 } as const;

/** Compares verdicts with what people said about the same cases. */
export function calibrate(
  results: readonly { readonly case: string; readonly verdict: JudgeVerdict }[],
  labels: readonly HumanLabel[],
  { minCases = MIN_CASES, suite = [] }: CalibrationBounds = {},
): Calibration {
  const shared = labels.find((label) => suite.includes(label.case));
  if (shared !== undefined)
    throw new ConfigError(`Case "${shared.case}" is in the suite and in the labels. Calibrate on other cases.`);
  const { rubric, model } = oneOrigin(results.map(({ verdict }) => verdict));
  const pairs = labels.map((label) => ({
    label,
    verdict: results.find((result) => result.case === label.case)?.verdict,
  }));
  const agreed = pairs.filter(({ label, verdict }) => verdict?.kind === 'scored' && verdict.passed === label.passed);
  const scored = pairs.flatMap(({ label, verdict }) =>
    verdict?.kind === 'scored' ? [[verdict.aggregate, label.score] as const] : [],
  );
  const agreement = pairs.length === 0 ? 0 : agreed.length / pairs.length;
  const correlation = pearson(scored);
  const isGood = agreement >= USABLE.agreement || correlation >= USABLE.correlation;
  return { agreement, correlation, usable: pairs.length >= minCases && isGood, cases: pairs.length, rubric, model };
}

/** Verdicts of two rubrics or two models say nothing about either. */
function oneOrigin(verdicts: readonly JudgeVerdict[]): { readonly rubric: string; readonly model: string } {
  const scored = verdicts.filter(({ kind }) => kind === 'scored'); // who did not answer is not known for certain
  const origins = new Map(
    scored.map(({ rubric, model }) => [`${rubric.hash} ${model}`, { rubric: rubric.hash, model }]),
  );
  const [origin, ...others] = origins.values();
  if (origin === undefined) throw new ConfigError('There are no verdicts to calibrate a judge with.');
  if (others.length > 0)
    throw new ConfigError(`The verdicts come from ${origins.size} rubrics or models. Calibrate each by itself.`);
  return origin;
}

function pearson(pairs: readonly (readonly [number, number])[]): number {
  const meanOf = (at: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [x, y] = [meanOf(0), meanOf(1)];
  let [both, squaresX, squaresY] = [0, 0, 0];
  for (const [a, b] of pairs) {
    both += (a - x) * (b - y);
    squaresX += (a - x) ** 2;
    squaresY += (b - y) ** 2;
  }
  return squaresX === 0 || squaresY === 0 || pairs.length === 0 ? 0 : both / Math.sqrt(squaresX * squaresY);
}
