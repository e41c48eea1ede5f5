import type { RunCard } from '../api/types.js';

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
  const words = [card.id, card.agent, card.subject, card.status, card.phase, card.outcome?.because, ...card.waiting];
  const text = words.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
