import { FlyballError } from '../core/errors.js';
import type { Driver, Rested } from '../ports/dispatcher.js';
import type { RunPage, RunRecord } from '../ports/engine.js';
import { drive } from './drive.js';
import { Herald } from './herald.js';
import { type Opened, recordOf } from './run-handles.js';
import type { Work } from './worker-options.js';

/** This runtime as a dispatcher sees it: what it takes, how much of it at once, and what it leaves to others. */
export class Attendance implements Driver {
  private readonly opened: Opened;
  private readonly work: Work;
  private readonly herald: Herald;
  private readonly waiting: (() => void)[] = [];
  /** Runs that are driven, and how many have called for each: one place each, whoever called. */
  private readonly driven = new Map<string, number>();
  private isLeaving = false;
  private cancelAnnounce: () => void = () => undefined;
  private stopAttending: () => void = () => undefined;

  constructor(opened: Opened, work: Work) {
    this.opened = opened;
    this.work = work;
    this.herald = new Herald(opened.settings, work, () => opened.lives.occupied);
  }

  get agents(): readonly string[] {
    return this.work.agents;
  }

  start(): void {
    this.announce();
    this.stopAttending = this.opened.settings.dispatcher?.attend?.(this) ?? (() => undefined);
  }

  /** Others are told, so that they leave runs of our versions to us, and people see who is there. */
  private announce(): void {
    const { clock, options, onProblem } = this.opened.settings;
    this.herald.announce().catch((error: unknown) => onProblem(error, 'announcing this worker'));
    this.cancelAnnounce = clock.after(options.leaseMs / 3, () => this.announce(), { keepAlive: false });
  }

  /** Takes nothing more. What is here comes to rest by itself. */
  async leave(drainMs: number): Promise<void> {
    this.stop();
    await this.herald.leave(drainMs);
  }

  async withdraw(): Promise<void> {
    await this.herald.withdraw();
  }

  stop(): void {
    this.isLeaving = true;
    this.stopAttending();
    this.cancelAnnounce();
    for (const go of this.waiting.splice(0)) go();
  }

  async drive(runId: string): Promise<Rested> {
    const record = await recordOf(this.opened, runId);
    await this.refuseOtherVersion(record);
    await this.untilLeft(runId); // whoever only waits for another process takes no place
    while (!this.driven.has(runId) && !this.hasRoom && !this.isLeaving)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.isLeaving) throw new FlyballError('RUN_UNLOADED', `This worker is closing. Run ${runId} is for another.`);
    this.driven.set(runId, (this.driven.get(runId) ?? 0) + 1);
    this.callNext(); // where its place was taken before, there may be room for another one
    try {
      await this.untilLeft(runId);
      return await drive(this.opened, runId);
    } finally {
      const others = (this.driven.get(runId) ?? 1) - 1;
      if (others > 0) this.driven.set(runId, others);
      else this.driven.delete(runId);
      this.callNext();
    }
  }

  private get hasRoom(): boolean {
    return this.driven.size < this.work.concurrency;
  }

  private callNext(): void {
    if (this.hasRoom) this.waiting.shift()?.();
  }

  has(runId: string): boolean {
    return this.opened.lives.has(runId);
  }

  get(runId: string): Promise<RunRecord> {
    return recordOf(this.opened, runId);
  }

  overdue(query: Parameters<Driver['overdue']>[0]): Promise<RunPage> {
    const { engine, clock } = this.opened.settings;
    return engine.overdue({ ...query, now: clock.now(), agents: this.agents });
  }

  /** While somebody else who is alive works on it, there is nothing to take over: it may come to rest there. */
  private async untilLeft(runId: string): Promise<void> {
    const { engine, clock, host, dispatcher } = this.opened.settings;
    if (dispatcher?.isAtWork === undefined) return;
    for (let waitMs = 20; ; waitMs = Math.min(500, waitMs * 2)) {
      const { owner } = await recordOf(this.opened, runId);
      if (owner === undefined || owner.id === host.owner().id || this.isLeaving) return;
      const known = await engine.workers(clock.now());
      const { address } = known.find((worker) => worker.owner.id === owner.id && worker.address !== undefined) ?? {};
      if (address === undefined || !(await dispatcher.isAtWork(address, runId))) return;
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    }
  }

  /** Code of another version may not fit a run's journal: while a worker with the right one is alive, the run is its. */
  private async refuseOtherVersion({ id, agent, version }: RunRecord): Promise<void> {
    if (this.opened.lives.agent(agent).version === version || this.opened.lives.has(id)) return;
    const left = this.herald.leftTo(await this.herald.others());
    if (!left.some((each) => each.agent === agent && each.version === version)) return;
    const message = `Run ${id} belongs to version ${version} of "${agent}". A worker with that version is running.`;
    throw new FlyballError('RUN_UNLOADED', message, { retryable: true });
  }
}
