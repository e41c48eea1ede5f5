import { signal } from '@preact/signals';
import { ApiError } from '../api/problem.js';
import type { RunCard } from '../api/types.js';
import { requests } from './requests.js';

/** How many requests wait for a person; undefined where it is not known, or not ours to know. */
export const openAsks = signal<number | undefined>(undefined);

/** Cards come in bursts: one question serves them all. */
const PAUSE_MS = 150;
/** How often it is asked where no card tells of a change. */
const EVERY_MS = 15_000;

const known = new Map<string, number>();
let isDue = false;
let refused = false;

/** Whoever reads cards says so here: the number changes when a run begins or ceases to ask. */
export function noteAsks({ id, asks }: Pick<RunCard, 'id' | 'asks'>): void {
  if ((known.get(id) ?? 0) === asks) return;
  if (asks === 0) known.delete(id);
  else known.set(id, asks);
  askSoon();
}

function askSoon(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    void countAsks();
  }, PAUSE_MS);
}

export async function countAsks(): Promise<void> {
  if (refused) return;
  try {
    openAsks.value = (await requests.metrics()).open;
  } catch (error) {
    refused = error instanceof ApiError && error.status === 403; // another key would begin a new page
    openAsks.value = undefined;
  }
}

/** While the page is looked at. */
export function watchAsks(): () => void {
  const look = () => {
    if (document.visibilityState === 'visible') void countAsks();
  };
  look();
  const every = setInterval(look, EVERY_MS);
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(every);
    document.removeEventListener('visibilitychange', look);
  };
}
