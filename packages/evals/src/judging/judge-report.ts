import { ConfigError } from 'flyball';
import type { JudgeVerdict } from 'flyball/checks';
import { calibrate, type HumanLabel } from 'flyball/checks';
import type { Calibration, CalibrationBounds } from 'flyball/internal';
import { quantile } from '../metrics/bootstrap.js';
import { mersenneTwister } from '../metrics/mersenne-twister.js';
import { type Agreement, agreementOf, spearman } from './agreement.js';

/** What a judge's verdicts depend on. */
export interface JudgePin {
  readonly model: string;
  readonly rubric: string;
}

/** How far a judge agrees with people, and which judge that was. */
export interface JudgeReport {
  readonly pin: JudgePin;
  readonly calibration: Calibration;
  /** Of pass and fail; a case that the judge could not be read on is a label of its own, and so a disagreement. */
  readonly agreement: Agreement;
  /** Of the scores, over the cases that have both. */
  readonly spearman: { readonly value: number; readonly low: number; readonly high: number; readonly cases: number };
  readonly unscored: number;
  readonly standing: 'calibrated' | 'uncalibrated';
}

export type LabelledVerdict = { readonly case: string; readonly verdict: JudgeVerdict };

/** Over a labelled set that shares no case with the suite which the judge is going to score. */
export function judgeReport(
  results: readonly LabelledVerdict[],
  labels: readonly HumanLabel[],
  options: CalibrationBounds & { readonly seed?: number; readonly resamples?: number } = {},
): JudgeReport {
  const calibration = calibrate(results, labels, options);
  const verdicts = new Map(results.map(({ case: name, verdict }) => [name, verdict]));
  const labelOf = (passed: boolean): string => (passed ? 'pass' : 'fail');
  const pairs = labels.map((label) => {
    const verdict = verdicts.get(label.case);
    const first = verdict?.kind === 'scored' ? labelOf(verdict.passed) : 'unscored';
    return { case: label.case, first, second: labelOf(label.passed) };
  });
  const scores = labels.flatMap((label) => {
    const verdict = verdicts.get(label.case);
    return verdict?.kind === 'scored' ? [[verdict.aggregate, label.score] as const] : [];
  });
  return {
    pin: { model: calibration.model, rubric: calibration.rubric },
    calibration,
    agreement: agreementOf(pairs, options),
    spearman: { ...rankInterval(scores, options), cases: scores.length },
    unscored: pairs.filter(({ first }) => first === 'unscored').length,
    standing: calibration.usable ? 'calibrated' : 'uncalibrated',
  };
}

function rankInterval(
  scores: readonly (readonly [number, number])[],
  { seed = 1, resamples = 1000 }: { readonly seed?: number; readonly resamples?: number },
): { readonly value: number; readonly low: number; readonly high: number } {
  const random = mersenneTwister(seed);
  const drawn = Array.from({ length: resamples }, () =>
    spearman(scores.flatMap(() => [scores[Math.floor(random() * scores.length)] ?? ([0, 0] as const)])),
  ).sort((a, b) => a - b);
  return { value: spearman(scores), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** Refuses verdicts of another judge than the one that was pinned: a router may have answered with another model. */
export function checkPin(pin: JudgePin, verdicts: readonly Pick<JudgeVerdict, 'model' | 'rubric'>[]): void {
  const other = verdicts.find(({ model, rubric }) => model !== pin.model || rubric.hash !== pin.rubric);
  if (other === undefined) return;
  throw new ConfigError(
    `The judge is pinned to ${pin.model} with rubric ${pin.rubric.slice(0, 8)}, and a verdict comes from ${other.model} with ${other.rubric.hash.slice(0, 8)}. Pin that one and calibrate it, or fix the router.`,
  );
}
