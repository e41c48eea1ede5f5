/** Patterns of reasoning: how an agent comes to its answer. */

export { type ReflexionOptions, type ReflexionParts, reflexion } from '../../revision/reflexion.js';
export { type SelfRefineOptions, type SelfRefineParts, selfRefine } from '../../revision/self-refine.js';
export { type PlanAndSolveOptions, type PlanAndSolveParts, planAndSolve } from './plan-and-solve.js';
export { type ReActOptions, type ReActParts, reAct } from './re-act.js';
export { type SelfConsistencyOptions, type SelfConsistencyParts, selfConsistency } from './self-consistency.js';
