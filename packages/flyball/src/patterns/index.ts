/** Patterns: functions that make an agent out of agents and sessions. */

export type { Slot } from '../core/slot.js';
export { type About, pattern, useFrom } from '../kit/pattern.js';
export type { Seat } from '../kit/seat.js';
export { codeTest, type Test, type Tested } from '../kit/tested.js';
export { type CheckedParts, checked } from './checked.js';
export { type CommandTestOptions, commandTest } from './command-test.js';
export { exact, type Formula, formulaText, type Interval, predicted } from './formula.js';
export { framed } from './framed.js';
export { type GuardsOfRun, guarded } from './guarded.js';
export { accumulateSkills } from './humanizer/index.js';
export { type DirectCallOptions, type DirectCallParts, directCall, tool } from './integration/index.js';
export {
  type AdaptiveAnswer,
  type AdaptiveRagOptions,
  type AdaptiveRagParts,
  adaptiveRag,
  type CompressionOptions,
  type CompressionParts,
  compression,
  type FollowUp,
  type FromBundleOptions,
  type FromBundleParts,
  fromBundle,
  type Ingested,
  type PruningOptions,
  type PruningParts,
  pruning,
  type QueryRewritingOptions,
  type QueryRewritingParts,
  type Rag,
  type RagDocument,
  type RagOptions,
  type RagParts,
  rag,
  type Transformation,
  withQueryRewriting,
} from './knowledge/index.js';
export type { Lookup } from './lookup.js';
export { type LookupToolOptions, lookupTool } from './lookup-tool.js';
export {
  type IsolatedOptions,
  type IsolatedParts,
  isolated,
  type MapReduceOptions,
  type MapReduceParts,
  mapReduce,
  type UntilApprovedOptions,
  type UntilApprovedParts,
  untilApproved,
  type VoteParts,
  type WithReviewersOptions,
  type WithReviewersParts,
  withReviewers,
} from './orchestration/index.js';
export {
  type PlanAndSolveOptions,
  type PlanAndSolveParts,
  planAndSolve,
  type ReActOptions,
  type ReActParts,
  type ReflexionOptions,
  type ReflexionParts,
  reAct,
  reflexion,
  type SelfConsistencyOptions,
  type SelfConsistencyParts,
  type SelfRefineOptions,
  type SelfRefineParts,
  selfConsistency,
  selfRefine,
} from './reasoning/index.js';
export {
  checkpointOf,
  type ErrorDigest,
  type ErrorDigestOptions,
  errorDigest,
  guardrails,
  injectionShield,
  keptTools,
  type NeedsApprovalOptions,
  type NeedsApprovalParts,
  needsApproval,
  type PolicyGuardOptions,
  type ProgramTool,
  pairJudge,
  policyGuard,
  type RubricJudge,
  type RubricJudgeParts,
  rubricJudge,
  type SandboxedOptions,
  sandboxed,
  supervised,
  type ToolReviewed,
  type ToolReviewOptions,
  type ToolReviewParts,
  type ToolUse,
  toolBudgetSeam,
  toolReview,
  toolUsesIn,
  traceOf,
  type ValidatedOptions,
  type ValidatedParts,
  validated,
  withBudget,
} from './reliability/index.js';
export {
  type Baseline,
  type Breach,
  type ConstraintGuard,
  type Constraints,
  constraints,
  type Fit,
  gainOver,
  type Narrated,
  type ProbeParts,
  type Prohibition,
  patternsOf,
  probe,
  repairAlarm,
  type ShapeMode,
  type ShapeOptions,
  shaped,
  type WithConstraintsOptions,
  type WithConstraintsParts,
  withConstraints,
  zeroShot,
} from './signal/index.js';
export { type Described, described, type PatternId, type Use, useOf, usesIn } from './use.js';
