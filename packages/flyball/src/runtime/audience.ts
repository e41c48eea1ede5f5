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
  private readonly noting = new Map<string, Waiter[]>();
  private readonly ending = new Map<string, Waiter[]>();
  private readonly entryListeners = new Set<EntryListener>();
  /** Who watches entries: with nobody there, nothing has to be told. */
  readonly listeners: ReadonlySet<EntryListener> = this.entryListeners;
  private readonly deltaListeners = new Set<DeltaListener>();
  /** Who wants to see replies while they come. */
  readonly watchers: ReadonlySet<DeltaListener> = this.deltaListeners;
  private closedBy: { readonly error: unknown } | undefined;

  constructor(onProblem: (error: unknown, doing: string) => void) {
    this.onProblem = onProblem;
  }

  /** The next time the run rests, however it does. */
  untilRest(runId: string): Promise<Outcome<unknown>> {
    return this.wait(this.resting, runId);
  }

  /** Notes with what error, if any, the run next rests. Returns how to stop noting. */
  noteFailure(runId: string, note: (error: unknown) => void): () => void {
    const waiter: Waiter = { resolve: () => undefined, reject: note };
    put(this.noting, runId, waiter);
    return () => {
      const list = this.noting.get(runId)?.filter((other) => other !== waiter) ?? [];
      if (list.length === 0) this.noting.delete(runId);
      else this.noting.set(runId, list);
    };
  }

  untilEnd(runId: string): Promise<Outcome<unknown>> {
    return this.wait(this.ending, runId);
  }

  private wait(among: Map<string, Waiter[]>, runId: string): Promise<Outcome<unknown>> {
    if (this.closedBy !== undefined) return Promise.reject(this.closedBy.error);
    return new Promise((resolve, reject) => put(among, runId, { resolve, reject }));
  }

  /** Runs that somebody waits for: their end, or their next rest. */
  awaited(until: 'end' | 'rest'): readonly string[] {
    return [...(until === 'end' ? this.ending : this.resting).keys()];
  }

  rested(runId: string, how: Rest): void {
    const isEnd = !('outcome' in how) || how.outcome.stop !== 'suspended';
    const toRest = [...(this.noting.get(runId) ?? []), ...(this.resting.get(runId) ?? [])];
    const waiting = [...toRest, ...(isEnd ? (this.ending.get(runId) ?? []) : [])];
    this.noting.delete(runId);
    this.resting.delete(runId);
    if (isEnd) this.ending.delete(runId);
    for (const { resolve, reject } of waiting) 'outcome' in how ? resolve(how.outcome) : reject(how.error);
  }

  /** Nobody will be answered from here any more. */
  rejectAll(error: unknown): void {
    this.closedBy = { error };
    const waiting = [...this.noting.values(), ...this.resting.values(), ...this.ending.values()].flat();
    this.noting.clear();
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
