/** Patterns of reasoning: how an agent comes to its answer. */
export { type PlanAndSolveOptions, type PlanAndSolveParts, planAndSolve } from './plan-and-solve.js';
export { type ReActOptions, type ReActParts, reAct } from './re-act.js';
export { type ReflexionOptions, type ReflexionParts, reflexion } from './reflexion.js';
export { type SelfConsistencyOptions, type SelfConsistencyParts, selfConsistency } from './self-consistency.js';
export { type SelfRefineOptions, type SelfRefineParts, selfRefine } from './self-refine.js';
