import { ConfigError } from '../../../core/errors.js';
import { CONFIDENCE_WEIGHTS, type ConfidenceWeights } from './confidence.js';

/**
 * Thresholds of the exit. An output also has to reach the minimums and the sum of the rubric, and the setpoint of the
 * controller less its epsilon: `scoreThresholds` has what holds in the end.
 */
export interface GateThresholds {
  readonly correctness: number;
  readonly completeness: number;
  readonly coherence: number;
  readonly safety: number;
  /** Share of tests that pass. */
  readonly tests: number;
  readonly consistency: number;
}

/** Thresholds for committing an output. */
export interface ExitSettings {
  readonly gates: GateThresholds;
  /** Confidence from which nobody is asked. */
  readonly pAuto: number;
  /** Confidence from which a person is asked; below it the output is rejected. */
  readonly pReview: number;
  readonly weights: ConfidenceWeights;
  /** A task above this novelty (0: seen before, 1: nothing like it) needs approval. At 1 novelty asks nobody. */
  readonly novelty: number;
}

export const EXIT_DEFAULTS: ExitSettings = {
  gates: { correctness: 0.85, completeness: 0.8, coherence: 0.8, safety: 0.98, tests: 1, consistency: 0.7 },
  pAuto: 0.95,
  pReview: 0.7,
  weights: CONFIDENCE_WEIGHTS,
  novelty: 0.7,
};

/** Exit settings as you pass them; what is omitted gets defaults. */
export type GivenExitSettings = Partial<Omit<ExitSettings, 'gates' | 'weights'>> & {
  readonly gates?: Partial<GateThresholds>;
  readonly weights?: Partial<ConfidenceWeights>;
};

/** Complete and checked before anything is spent. */
export function exitSettings(given: GivenExitSettings = {}): ExitSettings {
  refuseUnknown('the exit', given, EXIT_DEFAULTS);
  refuseUnknown('the gates', given.gates ?? {}, EXIT_DEFAULTS.gates);
  refuseUnknown('the confidence weights', given.weights ?? {}, EXIT_DEFAULTS.weights);
  const settings = {
    ...EXIT_DEFAULTS,
    ...given,
    gates: { ...EXIT_DEFAULTS.gates, ...given.gates },
    weights: { ...EXIT_DEFAULTS.weights, ...given.weights },
  };
  const { gates, weights, pAuto, pReview, novelty } = settings;
  for (const [name, value] of Object.entries({ ...gates, pAuto, pReview, novelty })) requireShare(name, value);
  if (pReview > pAuto) throw new ConfigError(`pReview of the exit cannot be above pAuto, got ${pReview} and ${pAuto}.`);
  checkWeights(weights);
  return settings;
}

function refuseUnknown(where: string, given: object, known: object): void {
  for (const name of Object.keys(given))
    if (!(name in known)) throw new ConfigError(`There is no "${name}" among the settings of ${where}.`);
}

function requireShare(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  throw new ConfigError(`${name} of the exit must lie between 0 and 1, got ${String(value)}.`);
}

/** A weight below 0 would make a worse output the surer one. */
function checkWeights({ bias, ...weights }: ConfidenceWeights): void {
  if (!Number.isFinite(bias)) throw new ConfigError(`bias of the confidence weights must be finite, got ${bias}.`);
  for (const [name, weight] of Object.entries(weights))
    if (!(Number.isFinite(weight) && weight >= 0))
      throw new ConfigError(`${name} of the confidence weights must be finite and at least 0, got ${String(weight)}.`);
  if (!(weights.verify > 0))
    throw new ConfigError(
      'verify of the confidence weights must be above 0: it is the one feature that is always there.',
    );
}
