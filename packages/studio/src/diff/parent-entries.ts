import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Entry, ForkPoint } from '../../../flyball/src/core/events.js';
import { api } from '../api/client.js';

export type ParentEntries =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly entries: readonly Entry[] }
  | { readonly state: 'failed'; readonly error: unknown };

interface Page {
  readonly entries: readonly Entry[];
  readonly last?: string;
  readonly more: boolean;
}

/** Pages that are fetched: what comes later is not compared. */
const MOST_PAGES = 4;

/** What the run that was forked did after the fork point. */
export function parentEntries({ run, generation, seq }: ForkPoint): ReadonlySignal<ParentEntries> {
  const loaded: Signal<ParentEntries> = signal({ state: 'loading' });
  void load(run, `${generation}.${seq}`, loaded);
  return loaded;
}

async function load(run: string, after: string, into: Signal<ParentEntries>): Promise<void> {
  try {
    const entries: Entry[] = [];
    let from: string | undefined = after;
    for (let page = 0; page < MOST_PAGES && from !== undefined; page++) {
      const got: Page = await api.get(`/v1/runs/${encodeURIComponent(run)}/entries`, { after: from, limit: 500 });
      entries.push(...got.entries);
      from = got.more ? got.last : undefined;
    }
    into.value = { state: 'ready', entries };
  } catch (error) {
    into.value = { state: 'failed', error };
  }
}
