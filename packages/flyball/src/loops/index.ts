export { commitLoop } from './commit/commit-loop.js';
export type { CommitLoopOptions } from './commit/commit-parts.js';
export {
  COMMIT_PROTOCOL,
  type CommitAudit,
  type CommitProvenance,
  type CommitResult,
  type Escalation,
  type ExitReport,
  type FailureReport,
  type GateOverride,
  type GateResult,
  type RepairEntry,
  type Strategy,
  type SubTask,
} from './commit/contracts.js';
export {
  type ControlDecision,
  type Controller,
  type ControllerSettings,
  type ControlState,
  controller,
  estimateGain,
  type Prediction,
} from './commit/control/index.js';
export {
  type ExitSettings,
  exitDecision,
  exitReport,
  exitSettings,
  type GivenExitSettings,
  scoreThresholds,
} from './commit/exit/index.js';
export {
  advance,
  LOOP_EVENTS,
  LOOP_LIMITS,
  type LoopEvent,
  type LoopLimits,
  PHASES,
  type Phase,
  type Position,
  START,
  TRANSITIONS,
} from './commit/phases.js';
export { answerWorkpiece, filesWorkpiece, textSimilarity } from './commit/repair/index.js';
export { contentHash, verifyCommit } from './commit/seal.js';
export type { Workpiece } from './commit/workpiece.js';
export { executePlan } from './plan/execute-plan.js';
export { makePlan } from './plan/make-plan.js';
export type {
  CompensationRecord,
  ExecutionParts,
  PlanGiven,
  PlannerParts,
  PlanRequest,
  PlanResult,
  PlanVerdict,
  Replanner,
} from './plan/parts.js';
export type { PlanProofs } from './plan/prove-output.js';
export { goalPlan } from './plan/replan-by-rule.js';
export type { Statement, StatementKind } from './plan/synthesis-check.js';
export type { Synthesis, SynthesisParts } from './plan/synthesise.js';
export { outcomeOf as planOutcome, toolAwarePlan } from './plan/tool-aware-plan.js';
export { DEFAULT_CONFIG, type ToolLoopConfig, type ToolLoopSettings, type WindowConfig } from './tool-loop/config.js';
export { CONFIRMATION } from './tool-loop/confirmation.js';
export type { LoopParts, ToolLoopOptions } from './tool-loop/loop-parts.js';
export { partsOf as toolLoopParts } from './tool-loop/loop-parts.js';
export type { Termination, TerminationReason, ToolLoopResult, Transfer } from './tool-loop/termination.js';
export { runToolLoop, type ToolLoopEnd, toolLoop } from './tool-loop/tool-loop.js';
