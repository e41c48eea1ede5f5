/** Patterns: functions that make an agent out of agents and sessions. */

export { type CheckedParts, checked } from './checked.js';
export { type CommandTestOptions, commandTest } from './command-test.js';
export { exact, type Formula, formulaText, type Interval, predicted } from './formula.js';
export { framed } from './framed.js';
export { guarded } from './guarded.js';
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
export { type Lookup, type LookupToolOptions, lookupTool } from './lookup.js';
export { type UntilApprovedOptions, type UntilApprovedParts, untilApproved } from './orchestration/index.js';
export { type About, pattern, useFrom } from './pattern.js';
export { type ReflexionOptions, type ReflexionParts, reflexion } from './reasoning/index.js';
export {
  checkpointOf,
  type ErrorDigest,
  type ErrorDigestOptions,
  errorDigest,
  guardrails,
  injectionShield,
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
  toolBudgetSeam,
  traceOf,
  type ValidatedOptions,
  type ValidatedParts,
  validated,
  withBudget,
} from './reliability/index.js';
export type { Seat } from './seat.js';
export type { Test, Tested } from './tested.js';
export { type Described, described, type PatternId, type Use, useOf, usesIn } from './use.js';
