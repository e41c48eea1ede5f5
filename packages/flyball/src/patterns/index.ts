/** Patterns: functions that make an agent out of agents and sessions. */

export { exact, type Formula, formulaText, type Interval, predicted } from './formula.js';
export { type UntilApprovedOptions, type UntilApprovedParts, untilApproved } from './orchestration/index.js';
export { type About, pattern, useFrom } from './pattern.js';
export { type ReflexionOptions, type ReflexionParts, reflexion } from './reasoning/index.js';
export type { Seat } from './seat.js';
export type { Test, Tested } from './tested.js';
export { type Described, described, type PatternId, type Use, useOf, usesIn } from './use.js';
