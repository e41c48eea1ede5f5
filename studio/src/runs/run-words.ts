import type { RunCard } from '../api/types.js';

/** What there is to say about a run in one line: how it ended, what it waits for, or how far it is. */
export function nowOf({ status, outcome, waiting, phase }: RunCard): string {
  if (outcome !== undefined) return outcome.because ?? outcome.answer ?? ENDS[outcome.stop] ?? outcome.stop;
  if (waiting.length > 0) return `Waits for ${[...new Set(waiting.map(awaited))].join(', ')}`;
  if (status === 'pending') return 'Not started yet';
  if (status === 'paused') return 'Paused by somebody';
  if (phase !== undefined) return `In phase ${phase}`;
  return status === 'running' ? 'At work' : '';
}

const ENDS: Readonly<Record<string, string>> = {
  done: 'Done',
  degraded: 'Done in part',
  bounded: 'A bound was reached',
  blocked: 'It could not go on',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

const AWAITED: readonly (readonly [prefix: string, words: string])[] = [
  ['approve:live-fork', 'an approval to act on the world'],
  ['approve-step:', 'an approval of a step'],
  ['approve:', 'an approval'],
  ['review:', 'an approval of its work'],
  ['doubt:', 'somebody to say whether an action happened'],
];

/** Approvals and questions are named by the place in the program that waits, which says nothing in a list. */
export function awaited(name: string): string {
  const known = AWAITED.find(([prefix]) => name.startsWith(prefix));
  if (known !== undefined) return known[1];
  if (name === 'sleep') return 'time to pass';
  return /[#/:]/.test(name) ? 'an answer' : name;
}
