import { encode } from '../core/codec.js';
import type { Entry, EventType, RunEvent } from '../core/events.js';
import { isAsked, type WaitChange, waitToken } from '../core/waits.js';
import type { Batch, Claim, Engine, OpenWait, StoredEntry, StoredLink } from '../ports/engine.js';

/** An entry with its encoded body: the code later receives it as it comes back from there, never the live object. */
export interface Written extends Entry {
  readonly body: string;
  readonly blobs: readonly (readonly [string, string])[];
}

/**
 * The end of one run's journal. Entries get their position at once and become durable together at the next barrier:
 * what must be durable before something else happens calls `flush`, everything else shares that commit.
 */
export class Writer {
  private seq: number;
  private entries: StoredEntry[] = [];
  private pending: Written[] = [];
  private blobs: (readonly [string, string])[] = [];
  private links: StoredLink[] = [];
  private taken: number[] = [];
  private opened: OpenWait[] = [];
  private closed: string[] = [];
  /** What the next batch says of the run beside its entries. */
  private facts: { generation?: number; progress?: true; version?: string } = {};
  private last: Promise<void> = Promise.resolve();

  private readonly engine: Engine;
  private readonly claim: Claim;
  private generation: number;
  private readonly time: () => { readonly at: number; readonly activeMs: number };
  private readonly onDurable: (entries: readonly Written[]) => void;

  constructor(parts: {
    readonly engine: Engine;
    readonly claim: Claim;
    readonly generation: number;
    readonly nextSeq: number;
    readonly time: () => { readonly at: number; readonly activeMs: number };
    readonly onDurable: (entries: readonly Written[]) => void;
  }) {
    this.engine = parts.engine;
    this.claim = parts.claim;
    this.generation = parts.generation;
    this.seq = parts.nextSeq;
    this.time = parts.time;
    this.onDurable = parts.onDurable;
  }

  get hasUnwritten(): boolean {
    return this.entries.length > 0;
  }

  /** Throws VALUE_NOT_SERIALIZABLE, leaving the journal as it was. */
  push(event: RunEvent): Written {
    const { body, blobs } = encode(event);
    const { at, activeMs } = this.time();
    const written: Written = { generation: this.generation, seq: this.seq, at, activeMs, event, body, blobs };
    this.seq++;
    this.entries.push({ generation: written.generation, seq: written.seq, at, activeMs, body });
    this.pending.push(written);
    if (blobs.length > 0) this.blobs.push(...blobs);
    if (isProgress(event)) this.facts.progress = true;
    return written;
  }

  /** What the journal says of a wait, the engine's index says too, from the same commit on. */
  noteWait({ generation, seq, at }: Written, change: WaitChange): void {
    const token = waitToken(this.claim.runId, { generation, id: change.id });
    // of one batch only the last word counts
    this.opened = this.opened.filter((wait) => wait.token !== token);
    this.closed = this.closed.filter((one) => one !== token);
    if (change.start !== undefined) {
      this.opened.push({ token, generation, seq, asked: isAsked(change.start), since: at });
    } else this.closed.push(token);
  }

  link(link: StoredLink, blob: readonly [string, string] | undefined): void {
    this.links.push(link);
    if (blob !== undefined) this.blobs.push(blob);
  }

  take(message: number): void {
    this.taken.push(message);
  }

  /** With the next batch the run is one of the code that writes here. */
  adopt(version: string): void {
    if (version !== this.claim.record.version) this.facts.version = version;
  }

  /** Moves on to the next generation: entries from here on count from 0 again. */
  startGeneration(generation: number): void {
    this.generation = generation;
    this.seq = 0;
    this.facts.generation = generation;
  }

  /** Resolves once everything pushed so far would survive a crash. */
  flush(): Promise<void> {
    if (this.entries.length === 0 && this.taken.length === 0) return this.last;
    const durable = this.pending;
    this.pending = [];
    this.last = this.engine.append(this.claim, this.takeBatch()).then(() => this.onDurable(durable));
    return this.last;
  }

  /** What was put together since the last one. Most batches are a few entries and nothing else. */
  private takeBatch(): Batch {
    const batch: { -readonly [part in keyof Batch]: Batch[part] } = { entries: this.entries };
    this.entries = [];
    if (this.blobs.length > 0) [batch.blobs, this.blobs] = [this.blobs, []];
    if (this.links.length > 0) [batch.links, this.links] = [this.links, []];
    if (this.taken.length > 0) [batch.taken, this.taken] = [this.taken, []];
    if (this.opened.length > 0) [batch.opened, this.opened] = [this.opened, []];
    if (this.closed.length > 0) [batch.closed, this.closed] = [this.closed, []];
    Object.assign(batch, this.facts);
    this.facts = {};
    return batch;
  }
}

const IS_PROGRESS: Readonly<Record<EventType, boolean>> = {
  'run-start': false,
  'generation-start': false,
  'generation-end': false,
  'attempt-start': false,
  'run-resume': false,
  'run-pause': false,
  'run-end': false,
  'ask-start': false,
  'ask-end': true,
  intent: false,
  'call-start': false,
  complete: true,
  abort: false,
  doubt: false,
  'spawn-start': false,
  'slice-change': false,
  'spawn-end': true,
  'wait-start': false,
  'wait-end': true,
  'wait-close': false,
  'sleep-start': false,
  'sleep-end': false,
  post: true,
  trip: false,
  cancel: false,
  redirect: false,
  stuck: false,
  note: false,
  'scope-start': false,
  'scope-end': false,
  best: false,
  changed: false,
  pin: false,
  'budget-warning': false,
  'scope-overlap': false,
  'guard-refused': false,
  'guard-decision': false,
  retry: false,
  'signal-refused': false,
  'operator-alert': false,
  'rollback-start': false,
  'rollback-end': false,
};

/** After this a crash counts from the start again. */
export function isProgress({ type }: RunEvent): boolean {
  return IS_PROGRESS[type];
}
