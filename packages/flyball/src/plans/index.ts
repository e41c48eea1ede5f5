export { branchDepth, MAX_BRANCH_DEPTH, MAX_BRANCHES, takeBranch } from './branches.js';
export { causalLinks } from './causal-links.js';
export { applyChanges, diffPlans, planHash } from './changes.js';
export { maxConcurrency } from './concurrency.js';
export { readySteps } from './dispatch.js';
export { stateAfter, unmetPreconditions } from './facts.js';
export { type FeasibilityContext, validatePlan } from './feasibility.js';
export { linearizations } from './flexibility.js';
export { type GoalState, type GoalTree, goalState, planFromGoals, switchAlternative } from './goal-tree.js';
export { criticalPath, downstreamCount, predecessors } from './graph.js';
export { PLAN_LIMITS } from './limits.js';
export {
  type Decomposed,
  decompose,
  type Method,
  type MethodLibrary,
  type Primitive,
  type SubTask,
} from './methods.js';
export type {
  ActualCall,
  Binding,
  Branch,
  CausalLink,
  ChangedFields,
  FailureAction,
  Ordering,
  Plan,
  PlanChange,
  PlanIssue,
  PlanRevision,
  PlanShape,
  PlanStep,
  PlanValidation,
  Severity,
  StepRecord,
  StepStatus,
  StepType,
  ToolValidationMode,
  ValidationStatus,
} from './plan.js';
export { PLAN_JSON_SCHEMA, planSchema } from './plan-schema.js';
export { MAX_STEPS, parsePlan, type ReadPlan, readPlan } from './read-plan.js';
export { type Resolved, resolveThreats } from './resolve-threats.js';
export { reviseProblem } from './revise.js';
export { targetsOf } from './targets.js';
