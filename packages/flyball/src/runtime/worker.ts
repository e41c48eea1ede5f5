import { FlyballError, JournalConflictError } from '../core/errors.js';
import type { DueQuery, RunRecord, RunStatus } from '../ports/engine.js';
import type { Audience } from './audience.js';
import { Herald } from './herald.js';
import type { Lives } from './lives.js';
import type { Settings } from './options.js';
import { restOf } from './rest-of.js';
import { stoppedHere } from './stopped-here.js';
import type { Trials } from './trials.js';
import { biteOf, type Work } from './worker-options.js';

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
  private underWay: Promise<void> | undefined;
  private readonly herald: Herald | undefined;
  /** Whose turn it was last, so that the next one's comes first. */
  private lastTenant: string | undefined;

  constructor(settings: Settings, lives: Lives, audience: Audience) {
    this.settings = settings;
    this.lives = lives;
    this.audience = audience;
    const { work } = settings;
    this.herald = work === undefined ? undefined : new Herald(settings, work, () => lives.occupied);
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
      this.underWay = this.lookOnce().catch((error: unknown) => this.settings.onProblem(error, 'looking for due runs'));
    });
  }

  /** Nothing of it asks storage any more, which may be closed from then on. Looking has to be stopped before. */
  async hasLooked(): Promise<void> {
    await this.underWay;
  }

  private async lookOnce(): Promise<void> {
    try {
      await this.look();
    } finally {
      await this.lookLater();
    }
  }

  private async look(): Promise<void> {
    if (!this.isLooking) return;
    const { work } = this.settings;
    if (work !== undefined && this.herald !== undefined) await this.work(work, this.herald);
    for (const runId of this.awaited()) if (!this.lives.has(runId)) await this.noticeRest(runId);
  }

  private async work(work: Work, herald: Herald): Promise<void> {
    await herald.announce();
    // whoever is full is called when a run has gone, and leaves what is due to others until then
    if (this.lives.occupied >= work.concurrency) return this.lives.makeRoom();
    const { clock, host } = this.settings;
    await host.refresh();
    const others = await herald.others();
    const except = herald.leftTo(others);
    const heaviest = Math.max(...others.map(({ weight = 1 }) => weight), 0);
    const bite = { work, except, limit: biteOf(work.weight, heaviest), now: clock.now() };
    for (const line of this.lives.trials.lines) await this.takeFrom(line, bite);
    await this.wakeSleepers(bite);
  }

  /** What is due by the date, but for runs that this process unloaded: it knows how long they have slept. */
  private async takeFrom(line: Trials['lines'][number], { work, except, now, ...bite }: Bite): Promise<void> {
    const { host } = this.settings;
    const limit = Math.min(bite.limit, line.limit, work.concurrency - this.lives.occupied);
    if (!this.isLooking || limit < 1) return;
    const taken = await this.lives.take(
      {
        now,
        limit,
        agents: work.agents,
        except,
        asleep: this.lives.clocks.early(),
        crashes: line.crashes,
        ...(this.lastTenant === undefined ? {} : { after: this.lastTenant }),
        isGone: (owner) => host.isGone(owner),
      },
      (runId, error) => this.notPickedUp(runId, error),
    );
    this.lastTenant = taken.at(-1)?.tenant ?? this.lastTenant;
    if (taken.length > 1 || taken.length === limit) this.lookAgain = true; // there may be more
  }

  /**
   * A run is started, resumed or woken here, or waits in line for its turn, here or elsewhere, like any other. Where it
   * does not, it has its place from here on: of several that come at once, each finds those of the others taken.
   */
  async admit<T>(
    run: { readonly id: string; readonly agent: string },
    go: (isInLine: boolean) => Promise<T>,
  ): Promise<T> {
    if (this.leavesInLine(run.agent)) return go(true);
    const leavePlace = this.lives.keepPlace(run.id);
    try {
      return await go(false);
    } finally {
      leavePlace();
      if (!this.lives.has(run.id)) this.lookSoon(); // what came meanwhile was put in line
    }
  }

  private leavesInLine(agent: string): boolean {
    const { work, options } = this.settings;
    if (work === undefined) return options.worker === 'elsewhere';
    return this.lives.occupied >= work.concurrency || !work.agents.includes(agent);
  }

  /** Without a worker there is nothing to look for, unless somebody waits for a run that is at work elsewhere. */
  private hasReason(): boolean {
    return this.settings.work !== undefined || this.awaited().length > 0;
  }

  /** Runs that somebody here waits for and that may be at work elsewhere: one that is here says itself when it rests. */
  private awaited(): readonly string[] {
    const toRest = this.audience.awaited('rest').filter((runId) => !this.lives.has(runId));
    return [...new Set([...this.audience.awaited('end'), ...toRest])];
  }

  /** Those that have slept long enough here, and that the date does not call due: it was set back. */
  private async wakeSleepers({ work, except, now }: Bite): Promise<void> {
    const { clocks, trials } = this.lives;
    const isLeft = ({ agent, version }: RunRecord): boolean =>
      except.some((left) => left.agent === agent && left.version === version);
    for (const { runId, wakeAt } of clocks.due()) {
      if (!this.isLooking || this.lives.occupied >= work.concurrency) return;
      const isInLine = wakeAt <= now;
      if (this.lives.has(runId) || (isInLine && this.lookAgain)) continue; // it may be taken with the next bite
      const record = await this.settings.engine.get(runId);
      if (record?.status !== 'suspended' || clocks.msLeft(record) === undefined) {
        if (!this.lives.has(runId)) clocks.forget(runId); // somebody else went on with it
      } else if (!isInLine && !trials.hasToWait(record) && !isLeft(record)) await this.pickUp(runId);
    }
  }

  /** Takes nothing more, and leaves what is to be done to the others while what is here comes to rest. */
  async leave(drainMs: number): Promise<void> {
    this.stopLooking();
    await this.herald?.leave(drainMs);
  }

  async withdraw(): Promise<void> {
    await this.herald?.withdraw();
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

interface Bite {
  readonly work: Work;
  readonly except: NonNullable<DueQuery['except']>;
  readonly limit: number;
  readonly now: number;
}

/** Nobody works on it, and nobody is about to without being told or a time having come. */
export function isAtRest(status: RunStatus): boolean {
  return status !== 'pending' && status !== 'running';
}
