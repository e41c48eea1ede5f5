import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { api } from '../api/client.js';
import type { PromptChain, PromptSegment } from './prompt-segments.js';

export type Loaded =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly segments: readonly PromptSegment[] }
  | { readonly state: 'failed'; readonly error: unknown };

/** Prompts that are kept: more would hold every prompt of a long run in memory. */
const MOST = 200;
const kept = new Map<string, Signal<Loaded>>();

/** The chain that ends in a link. A link is the hash of all before it, so what was fetched once never changes. */
export function promptOf(runId: string, tip: string): ReadonlySignal<Loaded> {
  const key = `${runId} ${tip}`;
  const known = kept.get(key);
  if (known !== undefined) {
    kept.delete(key); // the latest used stands last, and the first is dropped
    kept.set(key, known);
    return known;
  }
  const loaded = signal<Loaded>({ state: 'loading' });
  kept.set(key, loaded);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(oldest);
  }
  void load(runId, tip, loaded);
  return loaded;
}

/** Asks again after a failure. */
export function retryPrompt(runId: string, tip: string): void {
  const failed = kept.get(`${runId} ${tip}`);
  if (failed?.peek().state !== 'failed') return;
  failed.value = { state: 'loading' };
  void load(runId, tip, failed);
}

async function load(runId: string, tip: string, into: Signal<Loaded>): Promise<void> {
  try {
    const { segments } = await api.get<PromptChain>(promptPath(runId, tip));
    into.value = { state: 'ready', segments };
  } catch (error) {
    into.value = { state: 'failed', error };
  }
}

/** Where the server answers a prompt. */
export function promptPath(runId: string, tip: string): string {
  return `/v1/runs/${encodeURIComponent(runId)}/prompts/${encodeURIComponent(tip)}`;
}
