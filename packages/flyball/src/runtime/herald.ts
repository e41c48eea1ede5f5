import { randomUUID } from 'node:crypto';
import type { AnnouncedWorker, Announcement, DueQuery } from '../ports/engine.js';
import { agentNamed } from './agent-named.js';
import type { Settings } from './options.js';
import type { Work } from './worker-options.js';

/** Tells the other workers what this one takes on, and hears what they do. */
export class Herald {
  private readonly settings: Settings;
  private readonly work: Work;
  private readonly loaded: () => number;
  private readonly id = randomUUID();
  private readonly since: number;
  /** By the monotonic reading. */
  private announceAt = Number.NEGATIVE_INFINITY;
  private said: Promise<void> = Promise.resolve();
  /** By the monotonic reading: when storage last took what this worker says of itself. */
  private saidAt: number | undefined;
  /** Until then, others count that were there before storage was away. */
  private sparesUntil = Number.NEGATIVE_INFINITY;
  private seen: readonly AnnouncedWorker[] = [];

  constructor(settings: Settings, work: Work, loaded: () => number) {
    this.settings = settings;
    this.work = work;
    this.loaded = loaded;
    this.since = settings.clock.now();
  }

  /** Others leave the runs of our versions to us for as long as a lease lasts. */
  async announce(): Promise<void> {
    const { clock, options } = this.settings;
    if (clock.monotonic() < this.announceAt) return;
    this.announceAt = clock.monotonic() + options.leaseMs / 3;
    try {
      await this.say({ agents: this.versions() }, options.leaseMs);
    } catch (error) {
      // nothing is looked for before it is said, unless this worker has left meanwhile
      if (this.announceAt !== Number.POSITIVE_INFINITY) this.announceAt = clock.monotonic();
      throw error;
    }
    const now = clock.monotonic();
    if (this.wasAway(now)) this.sparesUntil = now + options.leaseMs;
    this.saidAt = now;
  }

  /** Whoever takes no more runs leaves its versions to whoever has others. */
  async leave(drainMs: number): Promise<void> {
    if (this.announceAt === Number.NEGATIVE_INFINITY) return;
    this.announceAt = Number.POSITIVE_INFINITY;
    await this.say({ agents: {}, draining: true }, drainMs + this.settings.options.leaseMs);
  }

  async withdraw(): Promise<void> {
    if (this.announceAt === Number.NEGATIVE_INFINITY) return;
    this.announceAt = Number.POSITIVE_INFINITY;
    await this.say({ agents: {} }, 0);
  }

  /**
   * The others that are alive. While storage was away nobody could say so, and what they had said may be over: whoever was
   * there before that has a lease from when it came back.
   */
  async others(): Promise<readonly AnnouncedWorker[]> {
    const { engine, clock, host } = this.settings;
    const all = await engine.workers(clock.now());
    const here = all.filter(({ id, requests }) => id !== this.id && requests === undefined);
    const now = clock.monotonic();
    const isSparing = now < this.sparesUntil || this.wasAway(now);
    const silent = isSparing ? this.seen.filter(({ id }) => here.every((one) => one.id !== id)) : [];
    if (!isSparing) this.seen = here;
    return [...here, ...silent].filter(({ owner }) => !host.isGone(owner));
  }

  /** What this worker had said of itself is nearly over, and so may be what others said. */
  private wasAway(now: number): boolean {
    return this.saidAt !== undefined && now - this.saidAt > this.settings.options.leaseMs / 2;
  }

  /** Code of another version may not fit a run's journal: while a worker with the right one is alive, the run is its. */
  leftTo(others: readonly AnnouncedWorker[]): NonNullable<DueQuery['except']> {
    const mine = this.versions();
    return others.flatMap(({ agents }) =>
      Object.entries(agents).flatMap(([agent, version]) =>
        Object.hasOwn(mine, agent) && mine[agent] !== version ? [{ agent, version }] : [],
      ),
    );
  }

  private versions(): Readonly<Record<string, string>> {
    const { agents } = this.settings;
    return Object.fromEntries(this.work.agents.map((name) => [name, agentNamed(agents, name).version]));
  }

  /** One after the other: an announcement that is late must not bring back a worker that has withdrawn since. */
  private say(what: Pick<Announcement, 'agents' | 'draining'>, forMs: number): Promise<void> {
    const said = this.said.then(() => this.write(what, forMs));
    this.said = said.catch(() => undefined);
    return said;
  }

  private async write(what: Pick<Announcement, 'agents' | 'draining'>, forMs: number): Promise<void> {
    const { engine, clock, host, dispatcher } = this.settings;
    await host.refresh();
    const { concurrency, weight } = this.work;
    const about = { id: this.id, owner: host.owner(), since: this.since, weight, runs: this.loaded() };
    const bound = Number.isFinite(concurrency) ? { concurrency } : {};
    const at = dispatcher?.address === undefined ? {} : { address: dispatcher.address };
    await engine.announce({ ...about, ...bound, ...at, ...what }, { now: clock.now(), forMs });
  }
}
