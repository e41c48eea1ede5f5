export { type AutonomyBudget, autonomyBudget } from './autonomy-budget.js';
export { type EnforcementResult, enforce, type Facts } from './enforcement.js';
export {
  type AutonomyLimits,
  type AutonomyProfile,
  type AutonomySettings,
  autonomyProfile,
  DEFAULT_AUTONOMY,
  ENFORCEMENT_POINTS,
  type EnforcementMode,
  type EnforcementPoint,
} from './profile.js';
export { evaluateStopConditions, type StopCondition, type StopReason, type StopState } from './stop-conditions.js';
