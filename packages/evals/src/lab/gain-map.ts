import { judgingExpected } from './claims/approving.js';
import { refiningExpected } from './claims/reasoning.js';
import { votingExpected } from './claims/voting.js';
import type { Expectation } from './exactly.js';

/** What a calibration found, as the map takes it. */
export interface ModelParameters {
  readonly p: number;
  /** Share of items with a common error. */
  readonly common: number;
  readonly wrong: number;
  readonly tpr: number;
  readonly fpr: number;
  /** Tokens after which a fact is used with probability 1/e. */
  readonly length: number;
}

/** What to expect of a pattern with a model of these parameters. */
export interface ExpectedGain {
  readonly pattern: string;
  readonly composition: string;
  readonly value: number;
  readonly baseline: number;
  readonly gain: number;
  readonly calls: number;
  readonly gainPerExtraCall?: number;
}

/** Reads the expected gain of patterns off the laws of the laboratory. */
export function expectedGains({ p, common, wrong, tpr, fpr, length }: ModelParameters): readonly ExpectedGain[] {
  const answers = Math.max(1, Math.min(6, Math.round(wrong)));
  const row = (
    pattern: string,
    composition: string,
    { value, calls }: Expectation,
    baseline = p,
    baseCalls = 1,
  ): ExpectedGain => {
    const extra = calls.mean - baseCalls;
    const gain = value.mean - baseline;
    return {
      pattern,
      composition,
      value: value.mean,
      baseline,
      gain,
      calls: calls.mean,
      ...(extra > 1e-9 ? { gainPerExtraCall: gain / extra } : {}),
    };
  };
  const part = 250;
  const alone = Math.exp(-part / length);
  const inline = [1, 2, 3, 4].reduce((sum, n) => sum + Math.exp((-part * n) / length), 0) / 4;
  const always = (mean: number) => ({ mean, variance: 0 });
  return [
    ...[3, 5, 7, 9].map((samples) =>
      row('R17', `selfConsistency, ${samples} samples`, votingExpected({ p, wrong: answers, samples, common })),
    ),
    ...[2, 3].map((rounds) =>
      row('O5', `untilApproved, ${rounds} rounds, the model as judge`, judgingExpected({ p, tpr, fpr, rounds })),
    ),
    row(
      'R8',
      'selfRefine, 2 rounds, revisions as good as first answers',
      refiningExpected({ p, finds: 1 - fpr, alarms: 1 - tpr, mends: p, keeps: p, rounds: 2 }),
    ),
    row('R7', 'reflexion, 3 attempts, a test in code, critiques that do not help', {
      value: always(1 - (1 - p) ** 3),
      calls: always(1 + 2 * (1 - p) + 2 * (1 - p) ** 2),
    }),
    row('O17', 'isolated, four sub-tasks of 250 tokens each', { value: always(alone), calls: always(4) }, inline, 4),
  ];
}
