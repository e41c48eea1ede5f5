import type { CountedAxis } from '../../../flyball/src/core/budget.js';
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
    ...(asks > 0 ? [{ text: asks === 1 ? 'Needs your answer' : `Needs ${asks} answers`, tone: 'warn' as const }] : []),
    ...(takeovers > 0
      ? [
          {
            text: takeovers === 1 ? 'Crashed and resumed' : `Crashed and resumed ${takeovers} times`,
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
  if (waiting.length > 0) return `Waiting for ${[...new Set(waiting.map(awaited))].join(', ')}`;
  if (status === 'pending') return 'Not started yet';
  if (status === 'paused') return 'Paused';
  if (phase !== undefined) return `Phase: ${phase}`;
  return status === 'running' ? 'Working' : status === 'suspended' ? 'Waiting for time to pass' : '';
}

const ENDS: Readonly<Record<string, string>> = {
  done: 'Done',
  degraded: 'Partly done',
  bounded: 'Stopped at a limit',
  blocked: 'Blocked',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

const AWAITED: readonly (readonly [prefix: string, words: string])[] = [
  ['approve:live-fork', 'approval of a side effect'],
  ['approve-step:', 'approval of a step'],
  ['approve:', 'approval'],
  ['review:', 'approval of its work'],
  ['doubt:', 'confirmation whether an action happened'],
];

/** Approvals and questions are named by the place in the program that waits, which says nothing in a list. */
export function awaited(name: string): string {
  const known = AWAITED.find(([prefix]) => name.startsWith(prefix));
  if (known !== undefined) return known[1];
  return /[#/:]/.test(name) ? 'an answer' : name;
}
