import type { Entry, ModelDelta, RunRecord } from 'flyball';
import type { RunCard } from '../contract/resources.js';
import type { Position } from './position.js';
import type { RunFold } from './run-fold.js';

export type FeedItem =
  | EntryItem
  | { readonly kind: 'delta'; readonly effect: string; readonly attempt: number; readonly delta: ModelDelta }
  | { readonly kind: 'card'; readonly card: RunCard }
  | { readonly kind: 'end'; readonly status: string };

/** An entry as it may leave the house. Its text is made once, for all who read it. */
export interface EntryItem {
  readonly kind: 'entry';
  readonly position: Position;
  readonly entry: Entry;
  /** The entry as JSON. */
  readonly text: string;
}

/**
 * Runs as they go on, for any number of readers.
 *
 * Invariants:
 * 1. A reader pulls: it has a position and no queue, so that a slow one costs nothing but its socket, and a run never
 *    waits for anybody. What is not in the journal (text as it arrives) is dropped for a reader that is behind.
 * 2. Every entry comes once and in order from the position on, whoever runs the run: this process or another.
 * 3. What is private or looks like a secret is blanked before it leaves. A mark that comes late cannot take back what
 *    has left; it holds for everything that is read after it.
 */
export interface RunFeed {
  /**
   * A run that is about to be started here, and read: text that arrives before its reader is there is kept for the first
   * one. Call what it answers once nobody will come, or nobody is left.
   */
  expect(runId: string): () => void;
  /** Reads on until the run has ended or the signal is aborted. */
  read(runId: string, from: ReadFrom, signal: AbortSignal): AsyncIterable<FeedItem>;
  /** As `read`, in the handfuls in which they are there: for whoever writes them out together. */
  batches(runId: string, from: ReadFrom, signal: AbortSignal): AsyncIterable<readonly FeedItem[]>;
  /** A page of entries as they may leave the house. */
  entries(runId: string, from: { readonly after?: Position; readonly limit: number }): Promise<readonly Entry[]>;
  /** All entries as they may leave the house. */
  journal(runId: string): Promise<readonly Entry[]>;
  card(record: RunRecord): Promise<RunCard>;
  /**
   * The card together with all entries, as they may leave the house, read once: made of two reads, it would say that a run
   * has ended which did so between them, without its outcome.
   */
  detail(record: RunRecord): Promise<{ readonly card: RunCard; readonly entries: readonly Entry[] }>;
  /** What the journal says so far: limits, cost, parts of the bill, what is private. */
  fold(runId: string): Promise<RunFold>;
  /** Cards of the runs of a tenant as they change. Ends for a reader that has missed some. */
  cards(tenant: string, signal: AbortSignal): AsyncIterable<RunCard>;
  /** For metrics. */
  stats(): FeedStats;
  close(): void;
}

export interface ReadFrom {
  readonly after?: Position;
  readonly deltas?: boolean;
}

export interface FeedStats {
  readonly readers: number;
  readonly cardReaders: number;
  readonly droppedDeltas: number;
  readonly watchedRuns: number;
  readonly ringBytes: number;
  readonly folds: number;
}
