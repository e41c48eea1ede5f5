/**
 * Kinds of events that most folds answer alike, so that a fold says in a line what it passes over.
 *
 * A new kind that only tells somebody something goes into `TELLING`. Tables that name every kind still need its row, and
 * do not compile without it: runtime/journal.ts, history/standing.ts, turns.ts and writer.ts; views/checkpoint.ts,
 * without-private.ts (is anything in it private?), timeline-sentences.ts (its sentence) and timeline.ts (its scope). Any
 * other new kind goes into no list, since each fold has to say what it makes of it.
 */
export const TELLING = [
  'changed',
  'budget-warning',
  'scope-overlap',
  'guard-refused',
  'guard-decision',
  'retry',
  'signal-refused',
  'operator-alert',
] as const;
export type TellingKind = (typeof TELLING)[number];

export const LIFE = [
  'run-start',
  'generation-start',
  'generation-end',
  'attempt-start',
  'run-resume',
  'run-pause',
  'run-end',
] as const;
export type LifeKind = (typeof LIFE)[number];

export const ASKS = ['ask-start', 'ask-end'] as const;
export type AskKind = (typeof ASKS)[number];

/** Calls and steps. */
export const ACTS = ['intent', 'call-start', 'complete', 'abort', 'doubt'] as const;
export type ActKind = (typeof ACTS)[number];

export const CHILDREN = ['spawn-start', 'slice-change', 'spawn-end'] as const;
export type ChildKind = (typeof CHILDREN)[number];

export const WAITS = ['wait-start', 'wait-end', 'wait-close', 'sleep-start', 'sleep-end'] as const;
export type WaitKind = (typeof WAITS)[number];

/** What ends or turns the code from outside. */
export const CONTROLS = ['trip', 'cancel', 'redirect', 'stuck'] as const;
export type ControlKind = (typeof CONTROLS)[number];

export const ROLLBACKS = ['rollback-start', 'rollback-end'] as const;
export type RollbackKind = (typeof ROLLBACKS)[number];

/** What the code tells of the patterns it is made of. */
export const PATTERNS = ['scope-start', 'scope-end', 'best'] as const;
export type PatternKind = (typeof PATTERNS)[number];
