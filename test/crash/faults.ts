import type { Violation } from './world.js';

/** Which broken rules show which fault, the first that fits. */
const SHOWN_BY: readonly (readonly [fault: string, shows: RegExp])[] = [
  ['F-C1', /^(fork-)?(end|replay):(failed|stalled):FOREIGN_AWAIT/],
  ['F-C4', /^(fork-)?end:failed:CONTINUE_REFUSED/],
  ['F-C3', /^cancel:acted/],
  ['F-C5', /^verdict:both/],
  ['F-C6', /^(now:back|time:back|time:negative|time:killed|(fork-)?end:bounded:wallMs)/],
  ['F-C9', /^generation:grows/],
  ['F-C10', /^budget:tokensOut/],
  ['F-C12', /^version:/],
  ['F-C2', /^(effect:(abort|lost|doubled)|undo:nothing|report:false)/],
  ['F-X1', /^budget:toolCalls/],
  ['R7-GEN-LOSERS', /^budget:losers/],
  ['F-X2', /^guard:/],
  ['F-X3', /^report:fork/],
  ['F-X4', /^private:/],
  ['F-X5', /^pin:/],
  ['F-X6', /^signal:/],
  ['F-X7', /^end:bounded:/],
  ['F-X8', /^((fork-)?end|replay):stalled:REPLAY_DIVERGED:identity/],
  ['F-X9', /^((fork-)?end|replay):stalled:REPLAY_DIVERGED/],
  ['F-X10', /^(fork-end:hangs|fork:asked-again|now:stale|time:child|warning:|fork-end:bounded:deadline)/],
  ['F-S1', /^verdict:(stray|none)/],
];

export function faultOf({ rule }: Violation): string | undefined {
  return SHOWN_BY.find(([, shows]) => shows.test(rule))?.[0];
}

/** Faults that are known and not mended yet: a program that shows one of them passes for now. */
export const notMended: readonly string[] = [];

/** What nobody knows of yet. */
export function unforgiven(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter((violation) => !notMended.includes(faultOf(violation) ?? ''));
}
