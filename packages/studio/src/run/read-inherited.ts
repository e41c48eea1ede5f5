import type { Entry, ForkPoint } from '../../../flyball/src/core/events.js';
import { api } from '../api/client.js';
import { MOST_ENTRIES } from './run-feed.js';

interface Page {
  readonly entries: readonly Entry[];
  readonly last?: string;
  readonly more: boolean;
}

const PAGE = 1000;

/** Pages of a parent's journal up to the point where the fork left it. */
export async function readUpTo(run: string, point: ForkPoint, signal: AbortSignal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let after: string | undefined;
  while (entries.length < MOST_ENTRIES) {
    const page: Page = await api.get(`/v1/runs/${encodeURIComponent(run)}/entries`, { after, limit: PAGE }, signal);
    entries.push(...page.entries);
    const last = entries.at(-1);
    if (!page.more || last === undefined || isReached(last, point)) break;
    after = page.last;
  }
  return entries;
}

function isReached({ generation, seq }: Entry, point: ForkPoint): boolean {
  return generation > point.generation || (generation === point.generation && seq >= point.seq);
}
