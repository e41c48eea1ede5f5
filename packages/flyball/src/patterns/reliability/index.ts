/** Patterns of reliability: safety, bounds, evidence and evaluation. Those of evaluation are in `@flyball/evals`. */
export { guardrails } from '../../tools/governance/guards/guardrails.js';
export { injectionShield } from '../../tools/governance/shield/injection-shield.js';
export { toolBudgetSeam } from '../../tools/tool-budget-seam.js';
export { toolUsesIn } from '../../tools/tool-record.js';
export type { ToolUse } from '../../tools/tool-use.js';
export { checkpointOf } from '../../views/checkpoint.js';
export { traceOf } from '../../views/trace.js';
export { type ErrorDigest, type ErrorDigestOptions, errorDigest } from './error-digest.js';
export { type NeedsApprovalOptions, type NeedsApprovalParts, needsApproval } from './needs-approval.js';
export { pairJudge } from './pair-judge.js';
export { type PolicyGuardOptions, policyGuard } from './policy-guard.js';
export { type RubricJudge, type RubricJudgeParts, rubricJudge } from './rubric-judge.js';
export { type ProgramTool, type SandboxedOptions, sandboxed } from './sandboxed.js';
export { supervised } from './supervised.js';
export {
  keptTools,
  type ToolReviewed,
  type ToolReviewOptions,
  type ToolReviewParts,
  toolReview,
} from './tool-review.js';
export { type ValidatedOptions, type ValidatedParts, validated } from './validated.js';
export { withBudget } from './with-budget.js';
