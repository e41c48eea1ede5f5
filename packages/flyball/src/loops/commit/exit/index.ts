export {
  CONFIDENCE_WEIGHTS,
  type ConfidenceFeatures,
  type ConfidenceWeights,
  confidenceOf,
  featuresOf,
} from './confidence.js';
export { type ExitDecision, exitDecision } from './exit-decision.js';
export { dispositionOf, type ExitInput, exitReport } from './exit-report.js';
export { gatesOf } from './gates.js';
export { noveltyOf, type SeenTask } from './novelty.js';
export {
  EXIT_DEFAULTS,
  type ExitSettings,
  exitSettings,
  type GateThresholds,
  type GivenExitSettings,
} from './settings.js';
export { type ScoreDemands, type ScoreThresholds, scoreThresholds } from './thresholds.js';
export { approvalTriggers, riskOf, type TriggerInput } from './triggers.js';
