import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RunCard } from '../api/types.js';
import { noteState, noteStream } from '../live/connection.js';
import { follow } from '../live/streams.js';
import { openAsks } from './open-asks.js';
import { type InboxItem, type InboxMetrics, requests } from './requests.js';

/** What the list shows. Kept while one goes from request to request, so that it does not blink. */
export const items = signal<readonly InboxItem[] | undefined>(undefined);
export const metrics = signal<InboxMetrics | undefined>(undefined);
export const listProblem = signal<unknown>(undefined);
export const showsAll = signal(false);
/** Counts up with every change of a run that asks or asked somebody: whoever shows one of its requests reads it again. */
export const changes = signal<ReadonlyMap<string, number>>(new Map());

/** Changes come in bursts: one reading serves them all. */
const PAUSE_MS = 120;
const STREAM = 'inbox';

let reading: Promise<void> | undefined;
let again = false;

/** Reads the list now; a call while one is on its way makes it read once more after. */
export function reload(): Promise<void> {
  if (reading !== undefined) {
    again = true;
    return reading;
  }
  reading = read().finally(() => {
    reading = undefined;
    if (again) {
      again = false;
      void reload();
    }
  });
  return reading;
}

async function read(): Promise<void> {
  try {
    const page = await requests.list(showsAll.peek() ? undefined : 'open');
    items.value = page.items;
    listProblem.value = undefined;
    metrics.value = await requests.metrics();
    openAsks.value = metrics.value.open;
  } catch (error) {
    listProblem.value = error;
  }
}

/** From one request to the next the page is made anew; the connection stays. */
const LINGER_MS = 2_000;

let users = 0;
let close: (() => void) | undefined;

/** Live while a page of the inbox is open. */
export function useInbox(): void {
  useEffect(() => {
    users++;
    close ??= listen();
    return () => {
      users--;
      setTimeout(() => {
        if (users > 0) return;
        close?.();
        close = undefined;
      }, LINGER_MS);
    };
  }, []);
}

function listen(): () => void {
  void reload();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void reload();
    }, PAUSE_MS);
  };
  const known = new Map<string, string>();
  const stream = follow('cards', {
    event: ({ event, data }) => {
      if (event === 'hello') soon(); // after every connection: something may have happened in between
      if (event === 'card') noteCard(JSON.parse(data) as RunCard, known, soon);
      return undefined;
    },
    state: (state) => noteState(STREAM, state),
  });
  noteStream(STREAM, stream);
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}

function noteCard(card: RunCard, known: Map<string, string>, soon: () => void): void {
  const now = `${card.asks} ${card.status} ${card.waiting.join(' ')}`;
  const asked = known.has(card.id) || card.asks > 0 || (items.peek() ?? []).some(({ run }) => run === card.id);
  if (!asked || known.get(card.id) === now) return;
  known.set(card.id, now);
  const next = new Map(changes.peek());
  next.set(card.id, (next.get(card.id) ?? 0) + 1);
  changes.value = next;
  soon();
}
