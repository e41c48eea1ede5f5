import { type Case, ENOUGH } from './case.js';
import type { Picture } from './program.js';

/** A run that shows images to a model, and nothing else. */
export const shows = (...from: readonly Picture[]): Case => ({
  profile: 'mixed',
  generations: [
    { kind: 'seq', parts: from.map((one) => ({ kind: 'show', from: one })) },
    { kind: 'seq', parts: [] },
  ],
  rounds: 1,
  failsAtEnd: false,
  more: undefined,
  budgets: [ENOUGH],
  enlarges: true,
  restMs: 0,
  deadlineMs: undefined,
  overshoot: 1,
  undoMs: 0,
  seed: 7,
  crashes: [],
  meddling: [],
  people: { verdict: 'approve', by: 'token', isRaced: false, isLate: false, ignores: 0 },
  forks: [{ generation: 0, at: 0.5, live: false, by: false, limits: undefined, isOfFork: false }],
  isPrivate: false,
  isSupervised: false,
  isGuarded: false,
});
