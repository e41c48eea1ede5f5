import { randomUUID } from 'node:crypto';
import { FlyballError, JournalConflictError } from '../core/errors.js';
import type { DueQuery, RunStatus } from '../ports/engine.js';
import type { Audience } from './audience.js';
import type { Lives } from './lives.js';
import type { Settings } from './options.js';
import { restOf } from './rest-of.js';
import { stoppedHere } from './stopped-here.js';
import type { Trials } from './trials.js';

/** Runs that are taken in one go: others who look get some as well, and none waits long for its life to begin. */
const BITE = 25;

/** Keeps what is due moving: new runs, timers, messages, runs whose owner is gone, and the leases of those that live here. */
export class Worker {
  private readonly settings: Settings;
  private readonly lives: Lives;
  private readonly audience: Audience;
  private stopWatching: (() => void) | undefined;
  private cancelLook: (() => void) | undefined;
  private cancelRenew: (() => void) | undefined;
  private looking = false;
  private lookAgain = false;
  private isLooking = true;
  private stopped = false;
  private readonly id = randomUUID();
  /** By the monotonic reading. */
  private announceAt = Number.NEGATIVE_INFINITY;

  constructor(settings: Settings, lives: Lives, audience: Audience) {
    this.settings = settings;
    this.lives = lives;
    this.audience = audience;
    lives.onChange = () => {
      this.renewSoon();
      this.lookSoon();
    };
  }

  start(): void {
    this.stopWatching = this.settings.engine.watch((runId) => {
      if (runId === undefined) this.lives.pokeAll();
      else this.lives.poke(runId);
      this.lookSoon();
    });
    this.lookSoon();
  }

  /** Picks up nothing new; the leases of what is here are still renewed. */
  stopLooking(): void {
    this.isLooking = false;
    this.stopWatching?.();
    this.cancelLook?.();
  }

  stop(): void {
    this.stopLooking();
    this.stopped = true;
    this.cancelRenew?.();
  }

  lookSoon(): void {
    if (!this.isLooking || !this.hasReason()) return;
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.looking = true;
    this.cancelLook?.();
    setImmediate(() => {
      this.lookOnce().catch((error: unknown) => this.settings.onProblem(error, 'looking for due runs'));
    });
  }

  private async lookOnce(): Promise<void> {
    try {
      await this.look();
    } finally {
      await this.lookLater();
    }
  }

  private async look(): Promise<void> {
    const { host, options } = this.settings;
    if (!this.isLooking) return;
    if (options.worker) {
      await this.announce();
      await host.refresh();
      const except = await this.leftToOthers();
      for (const line of this.lives.trials.lines) await this.takeFrom(line, except);
      for (const runId of await this.haveSlept()) if (this.isLooking) await this.pickUp(runId);
    }
    for (const runId of this.awaited()) if (!this.lives.has(runId)) await this.noticeRest(runId);
  }

  /** What is due by the date, but for runs that this process unloaded: it knows how long they have slept. */
  private async takeFrom(line: Trials['lines'][number], except: NonNullable<DueQuery['except']>): Promise<void> {
    const { clock, host, options, agents } = this.settings;
    if (!this.isLooking) return;
    const limit = Math.min(BITE, line.limit, Math.max(1, options.maxLoaded - this.lives.size));
    const taken = await this.lives.take(
      {
        now: clock.now(),
        limit,
        agents: Object.keys(agents),
        except,
        asleep: this.lives.clocks.early(),
        crashes: line.crashes,
        isGone: (owner) => host.isGone(owner),
      },
      (runId, error) => this.notPickedUp(runId, error),
    );
    if (taken.length === limit) this.lookAgain = true; // there may be more
  }

  /** Without a worker there is nothing to look for, unless somebody waits for a run that is at work elsewhere. */
  private hasReason(): boolean {
    return this.settings.options.worker || this.awaited().length > 0;
  }

  /** Runs that somebody here waits for and that may be at work elsewhere: one that is here says itself when it rests. */
  private awaited(): readonly string[] {
    const toRest = this.audience.awaited('rest').filter((runId) => !this.lives.has(runId));
    return [...new Set([...this.audience.awaited('end'), ...toRest])];
  }

  /** Those that have slept long enough here, and that the date does not call due: it was set back. */
  private async haveSlept(): Promise<readonly string[]> {
    const due: string[] = [];
    for (const { runId, wakeAt } of this.lives.clocks.due()) {
      if (this.lives.has(runId)) continue;
      const record = await this.settings.engine.get(runId);
      if (record?.status !== 'suspended' || record.wakeAt !== wakeAt)
        this.lives.clocks.forget(runId); // somebody else went on with it
      else if (!this.lives.trials.hasToWait(record)) due.push(runId);
    }
    return due;
  }

  /** Others leave the runs of our versions to us for as long as a lease lasts. */
  private async announce(): Promise<void> {
    const { engine, clock, host, options } = this.settings;
    if (clock.monotonic() < this.announceAt) return;
    this.announceAt = clock.monotonic() + options.leaseMs / 3;
    const worker = { id: this.id, owner: host.owner(), agents: this.lives.versions() };
    await engine.announce(worker, { now: clock.now(), forMs: options.leaseMs });
  }

  /** Whoever takes no more runs leaves its versions to whoever has others. */
  async withdraw(): Promise<void> {
    const { engine, clock, host } = this.settings;
    if (this.announceAt === Number.NEGATIVE_INFINITY) return;
    this.announceAt = Number.POSITIVE_INFINITY;
    await engine.announce({ id: this.id, owner: host.owner(), agents: {} }, { now: clock.now(), forMs: 0 });
  }

  /** Code of another version may not fit a run's journal: while a worker with the right one is alive, the run is its. */
  private async leftToOthers(): Promise<readonly { readonly agent: string; readonly version: string }[]> {
    const { engine, clock, host } = this.settings;
    const mine = this.lives.versions();
    const others = (await engine.workers(clock.now())).filter(({ id, owner }) => id !== this.id && !host.isGone(owner));
    return others.flatMap(({ agents }) =>
      Object.entries(agents).flatMap(([agent, version]) =>
        Object.hasOwn(mine, agent) && mine[agent] !== version ? [{ agent, version }] : [],
      ),
    );
  }

  private async pickUp(runId: string): Promise<void> {
    await this.lives
      .launch(runId, 'wake', undefined, { slept: true })
      .catch((error: unknown) => this.notPickedUp(runId, error));
  }

  private notPickedUp(runId: string, error: unknown): void {
    // a run that another worker got first is none of our business
    if (error instanceof JournalConflictError || this.stopped) return;
    if (error instanceof FlyballError && error.code === 'ALREADY_TERMINAL') return; // it ended elsewhere meanwhile
    this.audience.rested(runId, { error: stoppedHere(runId, error) });
    this.settings.onProblem(error, `picking up run ${runId}`);
  }

  /** A run that somebody here waits for may have come to rest in another process. */
  private async noticeRest(runId: string): Promise<void> {
    const record = await this.settings.engine.get(runId);
    const isEnough = (status: RunStatus): boolean =>
      this.audience.awaited('rest').includes(runId)
        ? isAtRest(status)
        : isAtRest(status) && status !== 'suspended' && status !== 'paused';
    if (record !== undefined && isEnough(record.status)) {
      await restOf(this.settings.engine, runId).then(
        (outcome) => this.audience.rested(runId, { outcome }),
        (error: unknown) => this.audience.rested(runId, { error }),
      );
    }
  }

  private async lookLater(): Promise<void> {
    this.looking = false;
    if (!this.isLooking) return;
    if (this.lookAgain) {
      this.lookAgain = false;
      return this.lookSoon();
    }
    const { engine, clock, options, onProblem } = this.settings;
    const now = clock.now();
    const next = await engine.nextDue(now).catch((error: unknown) => {
      onProblem(error, 'asking for the next due time');
      return undefined;
    });
    if (!this.isLooking || this.looking || !this.hasReason()) return;
    const msToNext = Math.min((next ?? Number.POSITIVE_INFINITY) - now, this.lives.clocks.msToNext());
    const ms = Math.min(options.pollMs, Math.max(1, msToNext));
    // only somebody who waits for a run keeps the process open for it
    this.cancelLook = clock.after(ms, () => this.lookSoon(), { keepAlive: this.awaited().length > 0 });
  }

  private renewSoon(): void {
    if (this.stopped) return;
    if (this.lives.size === 0) {
      this.cancelRenew?.();
      this.cancelRenew = undefined;
      return;
    }
    if (this.cancelRenew !== undefined) return;
    this.cancelRenew = this.settings.clock.after(this.settings.options.leaseMs / 3, () => {
      this.renewOnce().catch((error: unknown) => this.settings.onProblem(error, 'renewing leases'));
    });
  }

  private async renewOnce(): Promise<void> {
    try {
      await this.lives.renew();
    } finally {
      this.cancelRenew = undefined;
      this.renewSoon();
    }
  }
}

/** Nobody works on it, and nobody is about to without being told or a time having come. */
export function isAtRest(status: RunStatus): boolean {
  return status !== 'pending' && status !== 'running';
}
