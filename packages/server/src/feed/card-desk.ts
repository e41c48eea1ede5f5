import type { RunRecord } from 'flyball';
import type { RunCard } from '../contract/resources.js';
import { CardChannel } from './card-channel.js';

/** A card is made again at most four times a second. */
const EVERY_MS = 250;
/** After its last entry a run comes to rest without writing one: its record is looked at for a while longer. */
const SETTLES_MS = 1_500;
/** Cards made in one go; the others have their turn in the next. */
const MOST_AT_ONCE = 64;
/** Runs of other processes are found by looking at the newest and the running ones. */
const LIST_EVERY_MS = 2_000;
const LISTED = 50;

export interface CardDeskParts {
  /** The date, to compare with the dates of runs. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly after: (ms: number, go: () => void) => () => void;
  readonly get: (runId: string) => Promise<RunRecord>;
  readonly list: (filter: {
    readonly tenant: string;
    readonly status?: 'running';
    readonly limit: number;
  }) => Promise<{ readonly runs: readonly RunRecord[] }>;
  readonly makeCard: (record: RunRecord) => Promise<RunCard>;
  /** Whether somebody reads this run. */
  readonly isWatched: (runId: string) => boolean;
  readonly onCard: (card: RunCard) => void;
  readonly onProblem: (error: unknown, runId: string) => void;
}

/** Makes cards of runs that changed, for those who read the run and those who read all of a tenant. */
export class CardDesk {
  private readonly parts: CardDeskParts;
  /** Until when to look at a run that changed. */
  private readonly changed = new Map<string, number>();
  private readonly channels = new Map<string, CardChannel>();
  private readonly listed = new Map<string, string>();
  private stopTick: (() => void) | undefined;
  private nextList = 0;
  private closed = false;

  constructor(parts: CardDeskParts) {
    this.parts = parts;
  }

  get readers(): number {
    let sum = 0;
    for (const { readers } of this.channels.values()) sum += readers;
    return sum;
  }

  enter(tenant: string): CardChannel {
    const channel = this.channels.get(tenant) ?? new CardChannel();
    this.channels.set(tenant, channel);
    channel.readers++;
    this.schedule();
    return channel;
  }

  leave(tenant: string): void {
    const channel = this.channels.get(tenant);
    if (channel === undefined || --channel.readers > 0) return;
    this.channels.delete(tenant);
    if (this.channels.size === 0) this.listed.clear();
  }

  /** Something happened to this run. */
  touch(runId: string): void {
    if (this.channels.size === 0 && !this.parts.isWatched(runId)) return;
    this.changed.set(runId, this.parts.monotonic() + SETTLES_MS);
    this.schedule();
  }

  close(): void {
    this.closed = true;
    this.stopTick?.();
    this.changed.clear();
  }

  private schedule(): void {
    if (this.closed || this.stopTick !== undefined || (this.changed.size === 0 && this.channels.size === 0)) return;
    this.stopTick = this.parts.after(EVERY_MS, () => {
      this.tick()
        .catch((error: unknown) => this.parts.onProblem(error, ''))
        .finally(() => {
          this.stopTick = undefined;
          this.schedule();
        });
    });
  }

  private async tick(): Promise<void> {
    if (this.channels.size > 0 && this.parts.monotonic() >= this.nextList) await this.lookAround();
    for (const [runId, until] of [...this.changed].slice(0, MOST_AT_ONCE)) {
      this.changed.delete(runId);
      const card = await this.make(runId);
      if (card === undefined || this.closed) continue;
      const mayStillRest = card.status === 'running' || card.status === 'pending';
      // back at the end of the line, unless it was touched meanwhile
      if (mayStillRest && this.parts.monotonic() < until && !this.changed.has(runId)) this.changed.set(runId, until);
    }
  }

  private async make(runId: string): Promise<RunCard | undefined> {
    try {
      const record = await this.parts.get(runId);
      const channel = this.channels.get(record.tenant);
      if (channel === undefined && !this.parts.isWatched(runId)) return undefined;
      const card = await this.parts.makeCard(record);
      channel?.put(card);
      this.parts.onCard(card);
      return card;
    } catch (error) {
      this.parts.onProblem(error, runId);
      return undefined;
    }
  }

  /** Runs that another process starts or drives are heard of by nobody here. */
  private async lookAround(): Promise<void> {
    this.nextList = this.parts.monotonic() + LIST_EVERY_MS;
    for (const tenant of [...this.channels.keys()]) {
      const newest = await this.parts.list({ tenant, limit: LISTED });
      const running = await this.parts.list({ tenant, status: 'running', limit: LISTED });
      for (const { id, status, updatedAt } of [...newest.runs, ...running.runs]) {
        const seen = `${status} ${updatedAt}`;
        const before = this.listed.get(id);
        this.listed.delete(id);
        this.listed.set(id, seen);
        // of what was there before anybody looked nothing is told: whoever reads has the list
        if (before === undefined ? this.isNew(updatedAt) : before !== seen)
          this.changed.set(id, this.parts.monotonic());
      }
    }
    for (const id of this.listed.keys()) {
      if (this.listed.size <= this.channels.size * LISTED * 4) break;
      this.listed.delete(id);
    }
  }

  private isNew(updatedAt: number): boolean {
    return updatedAt >= this.parts.now() - 2 * LIST_EVERY_MS;
  }
}
