import type { Entry } from '../core/events.js';
import type { ModelDelta } from '../core/model.js';
import type { Outcome } from '../core/outcome.js';

export type EntryListener = (runId: string, entries: readonly Entry[]) => void;
export type DeltaListener = (runId: string, effect: string, attempt: number, delta: ModelDelta) => void;
type Waiter = { readonly resolve: (outcome: Outcome<unknown>) => void; readonly reject: (error: unknown) => void };
type Rest = { readonly outcome: Outcome<unknown> } | { readonly error: unknown };

/** Whoever waits for runs or watches them. An observer's failure is its own: the run never feels it. */
export class Audience {
  private readonly onProblem: (error: unknown, doing: string) => void;
  private readonly resting = new Map<string, Waiter[]>();
  private readonly ending = new Map<string, Waiter[]>();
  private readonly entryListeners = new Set<EntryListener>();
  private readonly deltaListeners = new Set<DeltaListener>();

  constructor(onProblem: (error: unknown, doing: string) => void) {
    this.onProblem = onProblem;
  }

  /** The next time the run rests, however it does. */
  untilRest(runId: string): Promise<Outcome<unknown>> {
    return new Promise((resolve, reject) => put(this.resting, runId, { resolve, reject }));
  }

  /** Notes with what error, if any, the run next rests. Returns how to stop noting. */
  noteFailure(runId: string, note: (error: unknown) => void): () => void {
    const waiter: Waiter = { resolve: () => undefined, reject: note };
    put(this.resting, runId, waiter);
    return () => {
      const list = this.resting.get(runId)?.filter((other) => other !== waiter) ?? [];
      if (list.length === 0) this.resting.delete(runId);
      else this.resting.set(runId, list);
    };
  }

  untilEnd(runId: string): Promise<Outcome<unknown>> {
    return new Promise((resolve, reject) => put(this.ending, runId, { resolve, reject }));
  }

  /** Runs whose end somebody waits for. */
  awaited(): readonly string[] {
    return [...this.ending.keys()];
  }

  rested(runId: string, how: Rest): void {
    const isEnd = !('outcome' in how) || how.outcome.stop !== 'suspended';
    const waiting = [...(this.resting.get(runId) ?? []), ...(isEnd ? (this.ending.get(runId) ?? []) : [])];
    this.resting.delete(runId);
    if (isEnd) this.ending.delete(runId);
    for (const { resolve, reject } of waiting) 'outcome' in how ? resolve(how.outcome) : reject(how.error);
  }

  /** Nobody will be answered from here any more. */
  rejectAll(error: unknown): void {
    const waiting = [...this.resting.values(), ...this.ending.values()].flat();
    this.resting.clear();
    this.ending.clear();
    for (const { reject } of waiting) reject(error);
  }

  subscribe(listener: EntryListener): () => void {
    this.entryListeners.add(listener);
    return () => this.entryListeners.delete(listener);
  }

  subscribeDeltas(listener: DeltaListener): () => void {
    this.deltaListeners.add(listener);
    return () => this.deltaListeners.delete(listener);
  }

  /** Somebody wants to see replies while they come. */
  isWatched(): boolean {
    return this.deltaListeners.size > 0;
  }

  publish(runId: string, entries: readonly Entry[]): void {
    for (const listener of this.entryListeners) this.tell(() => listener(runId, entries));
  }

  delta(...about: Parameters<DeltaListener>): void {
    for (const listener of this.deltaListeners) this.tell(() => listener(...about));
  }

  private tell(telling: () => void): void {
    try {
      telling();
    } catch (error) {
      this.onProblem(error, 'telling an observer');
    }
  }
}

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
