import type { Verdict } from '../../../flyball/src/core/approval.js';
import type { InboxItem, InboxMetrics, Said } from './requests.js';

export type Kind = Verdict['verdict'];

export const VERDICTS: readonly {
  readonly kind: Kind;
  readonly title: string;
  readonly key: string;
  readonly past: string;
}[] = [
  { kind: 'approve', title: 'Approve', key: 'a', past: 'approved' },
  { kind: 'reject', title: 'Reject', key: 'r', past: 'rejected' },
  { kind: 'modify', title: 'Modify', key: 'm', past: 'modified' },
  { kind: 'escalate', title: 'Escalate', key: 'e', past: 'escalated' },
];

/** Nobody learns anything from a refusal without its reason, the run least of all. */
export function needsReason(kind: Kind): boolean {
  return kind === 'reject' || kind === 'escalate';
}

export function saidWords({ verdict, by, recommended }: Said): string {
  if (recommended === true) return `${by} approved the recommendation`;
  const past = VERDICTS.find(({ kind }) => kind === verdict)?.past ?? 'answered';
  return `${by} ${past}`;
}

/** Time that is left, or that has passed since: `in 3 min 5 s`, `2 h over`. */
export function timeLeft(due: number, now: number): string {
  const words = span(Math.abs(due - now));
  return due > now ? `${words} left` : `${words} overdue`;
}

function span(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** Reasons come joined by `; ` whether they are sentences or not; people read sentences. */
export function asSentences(text: string | undefined): string | undefined {
  return text?.replace(/([.!?])\s*;\s+(\S)/gu, (_, end: string, first: string) => `${end} ${first.toUpperCase()}`);
}

/** Who has to agree, in one sentence; undefined where anybody alone may. */
export function agreementWords(
  item: InboxItem,
  people: number | undefined,
  to: string | undefined,
): string | undefined {
  const agreed = item.notBy;
  const parts = [
    ...(to === undefined ? [] : [`It was escalated to ${to}.`]),
    ...(people === undefined || people < 2 ? [] : [`${people} people must approve.`]),
    ...(agreed.length === 0 ? [] : [`${agreed.join(', ')} already approved; another person must approve too.`]),
    ...scopeWords(item),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

function scopeWords({ scopes, alsoScopes = [] }: InboxItem): readonly string[] {
  const groups = [scopes, ...alsoScopes].filter((group) => group.length > 0);
  if (groups.length === 0) return [];
  return [`It requires the scope ${groups.map((group) => group.join(' or ')).join(', and ')}.`];
}

export const ALARMS: Readonly<Record<InboxMetrics['alarms'][number], string>> = {
  'rubber-stamping':
    'Nearly everything is approved unchanged. Reviewers may not be looking closely, or the action may not need approval.',
  'poor-proposals': 'Less than half is approved unchanged. Proposals of the agents are often wrong.',
};
