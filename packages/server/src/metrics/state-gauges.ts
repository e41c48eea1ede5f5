import type { Clock, Engine, Host, RunStatus } from 'flyball';
import { type QueueLine, type RunCounts, type StorageSize, type WorkCount, workCount } from 'flyball/internal';
import type { Triggers } from '../triggers/open-triggers.js';
import type { TriggerState } from '../triggers/trigger-parts.js';
import { type Family, gauge, type Sample } from './exposition.js';

/** Storage is asked at most this often. */
const LOOK_EVERY_MS = 5_000;
const STATUSES: readonly RunStatus[] = ['pending', 'running', 'suspended', 'paused', 'stalled', 'bounded'];

export interface StateParts {
  readonly engine: Pick<Engine, 'count' | 'size' | 'queue' | 'workers' | 'list' | 'goneOwners'>;
  readonly host: Pick<Host, 'isGone'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly triggers: () => Pick<Triggers, 'list'> | undefined;
}

/** How runs, storage and triggers stand now, whoever runs them: counted by the storage, over all there are. */
export class StateGauges {
  private readonly parts: StateParts;
  private counts: RunCounts = { byStatus: {}, asked: 0, held: 0 };
  private size: StorageSize = { bytes: 0, logBytes: 0, freeBytes: 0 };
  private work: WorkCount = { workers: [], queue: [] };
  private triggers: readonly TriggerState[] = [];
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;

  constructor(parts: StateParts) {
    this.parts = parts;
  }

  get families(): readonly Family[] {
    const one = (name: string, help: string, value: () => number): Family =>
      gauge(name, help, () => [{ labels: {}, value: value() }]);
    const { clock } = this.parts;
    return [
      gauge('flyball_runs', 'Runs that have not ended, by status.', () =>
        STATUSES.map((status) => ({ labels: { status }, value: this.counts.byStatus[status] ?? 0 })),
      ),
      one('flyball_approvals_open', 'Open requests to people.', () => this.counts.asked),
      one('flyball_approvals_oldest_seconds', 'Age of the oldest open request; 0 if there is none.', () =>
        this.counts.oldestAsked === undefined ? 0 : Math.max(0, clock.now() - this.counts.oldestAsked) / 1_000,
      ),
      one('flyball_runs_held', 'Runs under a legal hold.', () => this.counts.held),
      one('flyball_database_bytes', 'Size of the database.', () => this.size.bytes),
      one('flyball_database_free_bytes', 'Free space inside the database.', () => this.size.freeBytes),
      one('flyball_database_wal_bytes', 'Size of its write-ahead log.', () => this.size.logBytes),
      ...this.queueFamilies(),
      ...this.triggerFamilies(),
    ];
  }

  look(): Promise<void> {
    if (this.parts.clock.monotonic() - this.lookedAt < LOOK_EVERY_MS) return this.looking ?? Promise.resolve();
    this.lookedAt = this.parts.clock.monotonic();
    this.looking = this.read().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async read(): Promise<void> {
    const { engine, triggers, clock, host } = this.parts;
    [this.counts, this.size, this.work, this.triggers] = await Promise.all([
      engine.count(),
      engine.size(),
      workCount(engine, { now: clock.now(), isGone: (owner) => host.isGone(owner) }),
      triggers()?.list() ?? [],
    ]);
  }

  private queueFamilies(): readonly Family[] {
    const one = (name: string, help: string, value: () => number): Family =>
      gauge(name, help, () => [{ labels: {}, value: value() }]);
    const count = (lines: readonly QueueLine[]): number => lines.reduce((sum, { runs }) => sum + runs, 0);
    const unserved = (): readonly QueueLine[] => {
      const served = new Set(this.work.workers.flatMap(({ agents }) => Object.keys(agents)));
      return this.work.queue.filter(({ agent }) => !served.has(agent));
    };
    return [
      one('flyball_queue_runs', 'Runs that could continue and wait for a worker.', () => count(this.work.queue)),
      one('flyball_queue_oldest_seconds', 'How long the first of them has waited; 0 if there is none.', () => {
        const since = Math.min(...this.work.queue.map((line) => line.since), this.parts.clock.now());
        return Math.max(0, this.parts.clock.now() - since) / 1_000;
      }),
      one('flyball_queue_unserved_runs', 'Runs in line whose agent no worker has.', () => count(unserved())),
      one('flyball_workers', 'Workers on this database.', () => this.work.workers.length),
    ];
  }

  private triggerFamilies(): readonly Family[] {
    const each = (value: (state: TriggerState) => number | undefined): (() => readonly Sample[]) => {
      const sample = (state: TriggerState): readonly Sample[] => {
        const found = value(state);
        return found === undefined ? [] : [{ labels: { trigger: state.name, kind: state.kind }, value: found }];
      };
      return () => this.triggers.flatMap(sample);
    };
    return [
      gauge(
        'flyball_trigger_failing',
        '1 if the last attempt of a trigger did not start a run.',
        each(({ failure }) => (failure === undefined ? 0 : 1)),
      ),
      gauge(
        'flyball_trigger_last_timestamp_seconds',
        'When a trigger last started a run.',
        each(({ last }) => (last === undefined ? undefined : last / 1_000)),
      ),
      {
        name: 'flyball_trigger_missed_total',
        type: 'counter',
        help: 'Scheduled times at which no server was running.',
        samples: each(({ missed }) => missed),
      },
    ];
  }
}
