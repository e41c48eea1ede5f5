/** Signal patterns: what a prompt says, and what a reply has to be. */
export type { Breach, ConstraintGuard } from './constraint-guard.js';
export { type Constraints, constraints } from './constraints.js';
export { patternsOf } from './patterns-of.js';
export { type Baseline, type Fit, gainOver, type ProbeParts, probe } from './probe.js';
export type { Prohibition } from './prohibition.js';
export type { Narrated, ShapeMode, ShapeOptions } from './reply-shape.js';
export { repairAlarm, shaped } from './shaped.js';
export { type WithConstraintsOptions, type WithConstraintsParts, withConstraints } from './with-constraints.js';
export { zeroShot } from './zero-shot.js';
