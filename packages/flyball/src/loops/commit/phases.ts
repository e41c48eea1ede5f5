import { ConfigError } from '../../core/errors.js';

/**
 * The commit loop as a pure transition function. Nothing here runs anything: a phase reports an event, this says which
 * phase is next.
 *
 * Invariants:
 * 1. It ends: every transition counts as an iteration, and past `maxIterations` there is only FAIL.
 * 2. Every way back (retry, repair, retrieval gap, new decomposition, stronger model, a person's change) has a count and a
 *    limit of its own.
 * 3. What is not in the table does not happen: an event that a phase does not know is refused, not guessed.
 */
export const PHASES = [
  'PLAN',
  'DECOMPOSE',
  'RETRIEVE',
  'ACT',
  'VERIFY',
  'CRITIQUE',
  'REPAIR',
  'COMMIT',
  'FAIL',
  'HALT',
] as const;
/** A phase of a commit loop. */
export type Phase = (typeof PHASES)[number];

/** The events of a commit loop. */
export const LOOP_EVENTS = [
  'planned',
  'decomposed',
  'retrieved',
  'acted',
  /** A hard failure of the first level: straight to repair, without critique. */
  'schema-failed',
  'gates-passed',
  'gates-failed',
  'diagnosed',
  'repaired',
  /** Evidence is missing: look for more before going on. */
  'retrieval-gap',
  /** Too much for one piece: divide it again. */
  're-decompose',
  /** The stronger model takes over. */
  'upgraded',
  /** A person wants it otherwise. */
  'modified',
  'approved',
  'rejected',
  /** Less than was asked for, and somebody agreed to that. */
  'partial',
  /** The result is durable. */
  'committed',
  /** It may work the next time. */
  'retry',
  'error',
  /** A budget of repairs, cost, time or iterations is used up. */
  'exhausted',
  'interrupted',
] as const;
/** An event of a commit loop. */
export type LoopEvent = (typeof LOOP_EVENTS)[number];

type Row = Partial<Readonly<Record<LoopEvent, Phase>>>;

/** What can happen to every phase at work. */
function always(phase: Phase): Row {
  return { retry: phase, error: 'FAIL', exhausted: 'FAIL', interrupted: 'HALT' };
}

/** Which phase of a commit loop follows which event. */
export const TRANSITIONS: Readonly<Record<Phase, Row>> = {
  PLAN: { ...always('PLAN'), planned: 'DECOMPOSE' },
  DECOMPOSE: { ...always('DECOMPOSE'), decomposed: 'RETRIEVE' },
  RETRIEVE: { ...always('RETRIEVE'), retrieved: 'ACT' },
  ACT: { ...always('ACT'), acted: 'VERIFY' },
  VERIFY: {
    ...always('VERIFY'),
    'schema-failed': 'REPAIR',
    'gates-failed': 'CRITIQUE',
    'gates-passed': 'COMMIT',
    'retrieval-gap': 'RETRIEVE',
    approved: 'COMMIT',
    modified: 'REPAIR',
    rejected: 'FAIL',
  },
  CRITIQUE: { ...always('CRITIQUE'), diagnosed: 'REPAIR', 'retrieval-gap': 'RETRIEVE' },
  REPAIR: {
    ...always('REPAIR'),
    repaired: 'VERIFY',
    'retrieval-gap': 'RETRIEVE',
    're-decompose': 'DECOMPOSE',
    upgraded: 'REPAIR',
    modified: 'REPAIR',
    partial: 'COMMIT',
    rejected: 'FAIL',
  },
  // ends the loop only once the result is durable: until then it is a phase like the others
  COMMIT: { ...always('COMMIT'), committed: 'COMMIT' },
  FAIL: {},
  HALT: {},
};

/** The limits of a commit loop. */
export interface LoopLimits {
  /** Transitions in all. */
  readonly maxIterations: number;
  /** Rounds of repairs. A stronger model and every change of a person get one more; the one after the last only escalates. */
  readonly maxRepairs: number;
  /** Failures that are repeated in place, over the whole loop. */
  readonly maxRetries: number;
  readonly maxRetrievals: number;
  readonly maxDecompositions: number;
  readonly maxUpgrades: number;
  readonly maxModifications: number;
}

/** The default limits of a commit loop. */
export const LOOP_LIMITS: LoopLimits = {
  maxIterations: 40,
  maxRepairs: 5,
  maxRetries: 3,
  maxRetrievals: 2,
  maxDecompositions: 1,
  maxUpgrades: 1,
  maxModifications: 3,
};

/** Where a loop stands. */
export interface Position {
  readonly phase: Phase;
  readonly iteration: number;
  readonly repairs: number;
  readonly retries: number;
  readonly retrievals: number;
  readonly decompositions: number;
  readonly upgrades: number;
  readonly modifications: number;
  /** Set once nothing follows. */
  readonly over?: true;
  /** The limit that ended it. */
  readonly limit?: keyof LoopLimits;
}

/** The position at which a commit loop starts. */
export const START: Position = {
  phase: 'PLAN',
  iteration: 0,
  repairs: 0,
  retries: 0,
  retrievals: 0,
  decompositions: 0,
  upgrades: 0,
  modifications: 0,
};

/** The next phase by the table alone; undefined where the phase does not know the event. */
export function next(phase: Phase, event: LoopEvent): Phase | undefined {
  return TRANSITIONS[phase][event];
}

/** The position after an event, limits included. Throws for an event that the phase does not know. */
export function advance(at: Position, event: LoopEvent, limits: LoopLimits): Position {
  const to = at.over === true ? undefined : next(at.phase, event);
  if (to === undefined)
    throw new ConfigError(
      `${at.phase}${at.over === true ? ', which has ended,' : ''} does not have the event "${event}".`,
    );
  const counted = count(at, event, to);
  if (to === 'FAIL' || to === 'HALT' || event === 'committed') return { ...counted, phase: to, over: true };
  const limit = exceeded(counted, limits);
  return limit === undefined ? { ...counted, phase: to } : { ...counted, phase: 'FAIL', over: true, limit };
}

function count(at: Position, event: LoopEvent, to: Phase): Position {
  const one = (holds: boolean): number => (holds ? 1 : 0);
  return {
    ...at,
    iteration: at.iteration + 1,
    // what a person or the stronger model begins has a count of its own
    repairs: at.repairs + one(to === 'REPAIR' && at.phase !== 'REPAIR' && event !== 'modified'),
    retries: at.retries + one(event === 'retry'),
    retrievals: at.retrievals + one(event === 'retrieval-gap'),
    decompositions: at.decompositions + one(event === 're-decompose'),
    upgrades: at.upgrades + one(event === 'upgraded'),
    modifications: at.modifications + one(event === 'modified'),
  };
}

/** Rounds of repairs that there may be by now. */
export function roundsAllowed(at: Position, { maxRepairs }: LoopLimits): number {
  return maxRepairs + at.upgrades + at.modifications;
}

function exceeded(at: Position, limits: LoopLimits): keyof LoopLimits | undefined {
  if (at.iteration >= limits.maxIterations) return 'maxIterations';
  if (at.repairs > roundsAllowed(at, limits) + 1) return 'maxRepairs';
  if (at.retries > limits.maxRetries) return 'maxRetries';
  if (at.retrievals > limits.maxRetrievals) return 'maxRetrievals';
  if (at.decompositions > limits.maxDecompositions) return 'maxDecompositions';
  if (at.upgrades > limits.maxUpgrades) return 'maxUpgrades';
  return at.modifications > limits.maxModifications ? 'maxModifications' : undefined;
}

/** Complete and checked before anything is spent. */
export function loopLimits(given: Partial<LoopLimits> = {}): LoopLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!(name in LOOP_LIMITS)) throw new ConfigError(`A commit loop has no limit "${name}".`);
    const least = name === 'maxIterations' ? 1 : 0;
    if (!(Number.isSafeInteger(value) && value >= least))
      throw new ConfigError(`${name} of a commit loop is a whole number of at least ${least}, got ${String(value)}.`);
  }
  return { ...LOOP_LIMITS, ...given };
}
