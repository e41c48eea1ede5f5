import type { RunCard } from '../api/types.js';
import { rowText } from '../runs/run-words.js';
import { statusText } from '../ui/status-words.js';

export interface RunFilter {
  readonly status?: string;
  readonly agent?: string;
  /** Looked for in what was loaded; status and agent are asked of the server. */
  readonly search?: string;
}

/** More than anybody reads: older cards are loaded again when they are wanted. */
const KEPT = 2000;

/** The newer of two cards of one run: streams and pages may overtake each other. */
export function newer(a: RunCard | undefined, b: RunCard): RunCard {
  if (a === undefined) return b;
  return b.entries > a.entries || (b.entries === a.entries && b.updatedAt >= a.updatedAt) ? b : a;
}

/** Cards with the ones that arrived, newest run first, bounded. */
export function merged(cards: readonly RunCard[], arrived: readonly RunCard[]): readonly RunCard[] {
  const byId = new Map(cards.map((card) => [card.id, card]));
  for (const card of arrived) byId.set(card.id, newer(byId.get(card.id), card));
  return [...byId.values()].sort(newestFirst).slice(0, KEPT);
}

function newestFirst(a: RunCard, b: RunCard): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

export function fits(card: RunCard, { status, agent, search }: RunFilter): boolean {
  if (status !== undefined && card.status !== status) return false;
  if (agent !== undefined && card.agent !== agent) return false;
  if (search === undefined || search === '') return true;
  const text = rowText(card);
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export const SORTS = ['status', 'agent', 'asked', 'costUsd', 'modelCalls', 'wallMs', 'updatedAt'] as const;
export type SortBy = (typeof SORTS)[number];

export interface Sorting {
  readonly by: SortBy;
  readonly order: 'up' | 'down';
}

/** As a person would expect from a column: texts by the alphabet, figures by size, ties in the order of the list. */
export function sorted(cards: readonly RunCard[], sorting: Sorting | undefined): readonly RunCard[] {
  if (sorting === undefined) return cards;
  const { by, order } = sorting;
  const direction = order === 'up' ? 1 : -1;
  return cards.toSorted((a, b) => direction * compared(columnValue(a, by), columnValue(b, by)));
}

/** The first click on a column sorts figures from the largest and texts from A; the second turns it round, the third ends it. */
export function nextSorting(before: Sorting | undefined, by: SortBy): Sorting | undefined {
  const first = by === 'status' || by === 'agent' || by === 'asked' ? 'up' : 'down';
  if (before?.by !== by) return { by, order: first };
  return before.order === first ? { by, order: first === 'up' ? 'down' : 'up' } : undefined;
}

export function sortingFrom(query: URLSearchParams): Sorting | undefined {
  const by = SORTS.find((known) => known === query.get('sort'));
  return by === undefined ? undefined : { by, order: query.get('order') === 'up' ? 'up' : 'down' };
}

function columnValue(card: RunCard, by: SortBy): string | number {
  switch (by) {
    case 'status':
      return statusText(card.status);
    case 'agent':
      return card.agent;
    case 'asked':
      return card.asked ?? '';
    case 'updatedAt':
      return card.updatedAt;
    default:
      return card.usage[by]?.spent ?? 0;
  }
}

function compared(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
