import type { Scores } from '../../../checks/contracts.js';
import { DEFAULT_RUBRIC, DIMENSIONS, type Rubric } from '../../../checks/rubric.js';
import type { DimensionName } from '../../../core/work.js';
import { CONTROLLER_DEFAULTS, type ControllerSettings } from '../control/settings.js';
import type { GateThresholds } from './settings.js';

/** What scores have to reach before an output leaves: one number for each dimension, and one for their sum. */
export interface ScoreThresholds {
  readonly dimensions: Scores;
  /** Of the weighted sum of the rubric. */
  readonly sum: number;
}

/** Where the demands on scores come from. */
export interface ScoreDemands {
  readonly gates: GateThresholds;
  readonly rubric?: Rubric;
  readonly control?: Pick<ControllerSettings, 'setpoint' | 'epsilon'>;
}

/**
 * Three parts of a loop make demands on the same scores: the gates of the exit, the minimums of the rubric, and the
 * controller, for which an error of at most epsilon below the setpoint is enough. The highest of the three holds. So an
 * output that leaves is one for which the judge found nothing below a minimum and the controller nothing to repair, and
 * where a prediction relaxed epsilon, this relaxes with it, down to the other two.
 */
export function scoreThresholds({
  gates,
  rubric = DEFAULT_RUBRIC,
  control = CONTROLLER_DEFAULTS,
}: ScoreDemands): ScoreThresholds {
  const minimum = (name: DimensionName): number =>
    rubric.dimensions.find((dimension) => dimension.name === name)?.minimum ?? 0;
  const highest = (name: DimensionName): number =>
    Math.max(gates[name], minimum(name), rounded(control.setpoint[name] - control.epsilon));
  return {
    dimensions: Object.fromEntries(DIMENSIONS.map((name) => [name, highest(name)])) as Scores,
    sum: rubric.threshold,
  };
}

/** 0.95 - 0.05 is 0.8999… in binary: shown to people, it should read as it was meant. */
function rounded(threshold: number): number {
  return Number(threshold.toFixed(9));
}
