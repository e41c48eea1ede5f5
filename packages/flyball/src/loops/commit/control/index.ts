export type { ControlDecision, Controller, ControlState } from './controller.js';
export { controller } from './controller.js';
export { estimateGain, type GainEstimate, type RepairOutcome } from './estimate-gain.js';
export { intensityToStrategy, STRATEGY_BANDS } from './intensity.js';
export type { Prediction, PredictionVerdict, RepairBudget } from './predict.js';
export { DIMENSIONS, type QualityError, qualityError } from './quality-error.js';
export { CONTROLLER_DEFAULTS, type CompleteControllerSettings, type ControllerSettings } from './settings.js';
