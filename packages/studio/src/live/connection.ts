import { computed, signal } from '@preact/signals';
import type { EventStream, StreamState } from '../api/event-stream.js';

/** All streams of the page and how they are: the shell shows the worst of them. */
const states = signal<ReadonlyMap<string, StreamState>>(new Map());
const streams = new Map<string, EventStream>();

const WORST: readonly StreamState[] = ['refused', 'waiting', 'connecting', 'open', 'closed'];

export const connection = computed<StreamState>(() => {
  const present = new Set(states.value.values());
  return WORST.find((state) => present.has(state)) ?? 'closed';
});

export function noteStream(name: string, stream: EventStream): void {
  streams.set(name, stream);
}

export function noteState(name: string, state: StreamState): void {
  const next = new Map(states.peek());
  if (state === 'closed') next.delete(name);
  else next.set(name, state);
  if (state === 'closed' || state === 'refused') streams.delete(name);
  states.value = next;
}

/** The network is back, or somebody looks again: no reason to sit out the delay. */
export function hurryOnReturn(): void {
  const hurry = () => {
    for (const stream of streams.values()) stream.hurry();
  };
  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') hurry();
  });
}
