import type { CountedAxis } from '../../../src/core/budget.js';
import type { RunCard } from '../api/types.js';
import { amountOn } from '../ui/amounts.js';
import { statusText } from '../ui/status-words.js';

/** The gauges of a row. */
export const ROW_GAUGES: readonly CountedAxis[] = ['costUsd', 'modelCalls', 'wallMs'];

/** Small marks of a row, each with how it looks and what it says on hovering. */
export interface Mark {
  readonly text: string;
  readonly tone: 'warn' | 'bad' | 'idle';
  readonly title?: string;
}

export function marksOf({ asks, takeovers, fork, attention }: RunCard): readonly Mark[] {
  return [
    ...(asks > 0 ? [{ text: asks === 1 ? 'Needs you' : `Needs you ${asks} times`, tone: 'warn' as const }] : []),
    ...(takeovers > 0
      ? [
          {
            text: takeovers === 1 ? 'Crashed, taken over' : `Crashed, taken over ${takeovers} times`,
            tone: 'bad' as const,
          },
        ]
      : []),
    ...(attention === undefined ? [] : [{ text: 'Needs attention', tone: 'bad' as const, title: attention }]),
    ...(fork === undefined
      ? []
      : [{ text: 'Fork', tone: 'idle' as const, title: `Forked from ${fork.run} after entry ${fork.seq}` }]),
  ];
}

/** All that a row shows or says on hovering, for the search: what can be read can be found. Ages change and are left out. */
export function rowText(card: RunCard): string {
  const { id, agent, version, subject, status, asked, phase, outcome, waiting, usage } = card;
  const marks = marksOf(card).flatMap(({ text, title }) => [text, title]);
  const amounts = ROW_GAUGES.map((axis) => amountOn(axis, usage[axis]?.spent ?? 0));
  const words = [id, agent, version, subject, status, statusText(status), asked, nowOf(card), ...marks, ...amounts];
  return [...words, phase, outcome?.because, outcome?.answer, ...waiting]
    .filter((word) => word !== undefined)
    .join(' ')
    .toLowerCase();
}

/** What there is to say about a run in one line: how it ended, what it waits for, or how far it is. */
export function nowOf({ status, outcome, waiting, phase }: RunCard): string {
  if (outcome !== undefined) return outcome.because ?? outcome.answer ?? ENDS[outcome.stop] ?? outcome.stop;
  if (waiting.length > 0) return `Waits for ${[...new Set(waiting.map(awaited))].join(', ')}`;
  if (status === 'pending') return 'Not started yet';
  if (status === 'paused') return 'Paused by somebody';
  if (phase !== undefined) return `In phase ${phase}`;
  return status === 'running' ? 'At work' : status === 'suspended' ? 'Waits for time to pass' : '';
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
  return /[#/:]/.test(name) ? 'an answer' : name;
}
