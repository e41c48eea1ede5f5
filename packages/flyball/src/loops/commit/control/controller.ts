import type { Scores } from '../../../checks/contracts.js';
import type { DimensionName } from '../../../core/work.js';
import { hasStalled, repairCost } from './iteration.js';
import { pid } from './pid.js';
import { type Prediction, predict, type RepairBudget } from './predict.js';
import { isWithin, qualityError } from './quality-error.js';
import { type CompleteControllerSettings, type ControllerSettings, completeSettings } from './settings.js';
import { noiseFloor } from './stability.js';

/** Where a loop stands: plain JSON, so that it crosses the journal. */
export interface ControlState {
  /** Repairs that were asked for. */
  readonly k: number;
  /** Error of each measurement, the first one included. */
  readonly errors: readonly number[];
  readonly integral: number;
  /** What the repairs cost by the cost model; the budget of the run knows what was really spent. */
  readonly costUsd: number;
}

/** Whether the controller wants another repair. */
export type ControlDecision =
  | { readonly kind: 'met'; readonly error: number }
  | { readonly kind: 'repair'; readonly intensity: number; readonly error: number; readonly worst: DimensionName }
  /** The last repair changed next to nothing: another one of the kind will not either. */
  | { readonly kind: 'stalled'; readonly error: number; readonly worst: DimensionName }
  /** Chance alone keeps the quality further from its setpoint than the gate allows: no number of repairs helps. */
  | { readonly kind: 'noise-floor'; readonly floor: number }
  | { readonly kind: 'iterations'; readonly limit: number }
  | { readonly kind: 'cost'; readonly limit: number };

/** Decides whether another repair is worth it, and how strong it should be. */
export interface Controller {
  readonly settings: CompleteControllerSettings;
  /** What a loop from these scores, or from this error, will take; asked before it starts. */
  predict(initial: Scores | number, budget: RepairBudget): Prediction;
  begin(): ControlState;
  /** What follows from one more measurement. */
  next(
    state: ControlState,
    scores: Scores,
  ): {
    readonly state: ControlState;
    readonly decision: ControlDecision;
  };
}

/** A discrete PID controller over the quality of an output. Refuses gains with which the loop would not settle. */
export function controller(given: Partial<ControllerSettings> = {}): Controller {
  const settings = completeSettings(given);
  const floor = noiseFloor(settings, settings.noise);
  return {
    settings,
    predict: (initial, budget) =>
      predict(typeof initial === 'number' ? initial : qualityError(settings.setpoint, initial).error, budget, settings),
    begin: () => ({ k: 0, errors: [], integral: 0, costUsd: 0 }),
    next: (state, scores) => decide(state, scores, settings, floor),
  };
}

function decide(
  before: ControlState,
  scores: Scores,
  settings: CompleteControllerSettings,
  floor: number,
): { readonly state: ControlState; readonly decision: ControlDecision } {
  const { error, worst } = qualityError(settings.setpoint, scores);
  const state = { ...before, errors: [...before.errors, error] };
  if (isWithin(error, settings.epsilon)) return { state, decision: { kind: 'met', error } };
  if (!isWithin(floor, settings.epsilon)) return { state, decision: { kind: 'noise-floor', floor } };
  if (state.k >= settings.maxIterations)
    return { state, decision: { kind: 'iterations', limit: settings.maxIterations } };

  const previous = before.errors.at(-1);
  const { intensity, integral } = pid(
    { error, integral: state.integral, ...(previous === undefined ? {} : { previous }) },
    settings,
  );
  const costUsd = state.costUsd + repairCost(intensity, settings);
  if (!isWithin(costUsd, settings.maxCostUsd)) return { state, decision: { kind: 'cost', limit: settings.maxCostUsd } };
  // looked at before the repair is paid for, on the change that the last one made
  if (hasStalled(state.errors, settings)) return { state, decision: { kind: 'stalled', error, worst } };
  return {
    state: { k: state.k + 1, errors: state.errors, integral, costUsd },
    decision: { kind: 'repair', intensity, error, worst },
  };
}
