import { FlyballError, JournalConflictError } from '../core/errors.js';
import type { Agent } from '../core/run.js';
import { agentNamed, versionsOf } from './agent-named.js';
import type { Attempt } from './attempt.js';
import { type Household, hostFor } from './attempt-host.js';
import type { Audience } from './audience.js';
import { effectContext } from './effect-context.js';
import type { AttemptHost, Life } from './host.js';
import { Leases } from './leases.js';
import { begin, type Home, hearAndOpen, putBack, type Why } from './opening.js';
import type { Settings } from './options.js';
import type { Resume } from './reopening.js';
import { giveBack } from './resting.js';
import { RunClocks } from './run-clocks.js';
import { Trials } from './trials.js';

/** The runs that live in this process right now: claimed, loaded, driven, and given back when they rest. */
export class Lives implements Home, Household {
  readonly settings: Settings;
  readonly audience: Audience;
  readonly clocks: RunClocks;
  readonly leases: Leases;
  readonly trials: Trials;
  readonly host: AttemptHost;
  private readonly attempts = new Map<string, Attempt>();
  private readonly launching = new Set<string>();
  private closed = false;
  /** Called when a run was loaded or has gone. */
  onChange: () => void = () => undefined;

  constructor(settings: Settings, audience: Audience) {
    this.settings = settings;
    this.audience = audience;
    this.clocks = new RunClocks(settings.clock);
    this.leases = new Leases(settings.clock, settings.options.leaseMs);
    this.trials = new Trials(settings.options.maxResumes, () => this.onChange());
    this.host = hostFor(this);
  }

  get isClosed(): boolean {
    return this.closed;
  }

  get size(): number {
    return this.attempts.size;
  }

  has(runId: string): boolean {
    return this.attempts.has(runId) || this.launching.has(runId);
  }

  livesHere(life: Life): boolean {
    return this.attempts.get(life.runId) === life;
  }

  /**
   * Whether it lives here and is ours. Whoever is only on the way to it may find that it rests, and a process that stood
   * still may not know yet that another one took it over.
   */
  async holds(runId: string): Promise<boolean> {
    await this.launched(runId);
    const attempt = this.attempts.get(runId);
    if (attempt !== undefined) await this.renew([attempt]);
    return this.has(runId);
  }

  agent(name: string): { readonly agent: Agent<unknown, unknown>; readonly version: string } {
    return agentNamed(this.settings.agents, name);
  }

  versions(): Readonly<Record<string, string>> {
    return versionsOf(this.settings.agents);
  }

  assertOpen(): void {
    if (this.closed) throw new FlyballError('RUN_UNLOADED', 'This runtime is closed; open another one.');
  }

  // Runs come.

  /** Claims a run and sets it going. A worker that found it due takes turns: see `Trials`. */
  async launch(runId: string, why: Why, resume?: Resume, how: { readonly inTurn?: true } = {}): Promise<void> {
    this.assertOpen();
    if (this.has(runId)) return;
    this.launching.add(runId);
    try {
      await this.claim(runId, why, resume, how);
    } finally {
      this.launching.delete(runId);
      if (!this.attempts.has(runId)) this.trials.acquit(runId);
    }
  }

  private async claim(
    runId: string,
    why: Why,
    resume: Resume | undefined,
    how: { readonly inTurn?: true },
  ): Promise<void> {
    const { engine, host } = this.settings;
    await host.refresh();
    const before = await engine.get(runId);
    if (this.trials.hasToWait(before) && how.inTurn === true) return;
    const was = before?.status ?? 'pending';
    const term = this.leases.term();
    // whoever wakes a run by hand goes by the date, and would find it asleep again and again
    if (how.inTurn !== true && (before?.wakeAt ?? Number.POSITIVE_INFINITY) <= term.now) this.clocks.forget(runId);
    const me = host.owner();
    const isGone = (owner: { readonly id: string } & typeof me): boolean => owner.id === me.id || host.isGone(owner);
    const claim = await engine.claim(runId, { owner: me, now: term.now, leaseUntil: term.date, isGone });
    this.leases.hold(runId, term);
    try {
      if (this.closed) return await putBack(this, claim, was);
      await begin(this, claim, was, claim.previous === undefined ? why : 'takeover', resume);
    } finally {
      if (!this.attempts.has(runId)) this.clocks.forget(runId);
    }
  }

  lives(attempt: Attempt): void {
    this.attempts.set(attempt.runId, attempt);
  }

  hasBegun(): void {
    if (this.attempts.size > this.settings.options.maxLoaded)
      for (const other of this.attempts.values()) this.host.idle(other);
    this.onChange();
  }

  /**
   * Goes on with the next generation. Nothing is in flight between two of them, and the life that ended may not have
   * heard everything: a run whose generations are shorter than it takes to read its messages would hear none.
   */
  async turn({ runId, claim: { previous: _counted, ...held } }: Life, generation: number): Promise<void> {
    const claim = { ...held, record: { ...held.record, generation } };
    this.launching.add(runId);
    try {
      await hearAndOpen(this, claim, 'running', 'start', undefined);
    } finally {
      this.launching.delete(runId);
    }
  }

  // Runs go.

  dropLease(runId: string): void {
    this.leases.drop(runId);
  }

  leave(runId: string): void {
    const last = this.attempts.get(runId);
    if (last === undefined) this.leases.drop(runId);
    else this.forget(last);
  }

  forget(life: Life, wakeAt?: number): void {
    const { runId } = life;
    if (this.attempts.get(runId) !== life) return;
    this.attempts.delete(runId);
    this.leases.drop(runId);
    if (wakeAt === undefined) this.clocks.forget(runId);
    else this.clocks.sleeps(runId, wakeAt);
    this.trials.acquit(runId);
    this.onChange();
  }

  // Runs that are here.

  /** The run whose code is running at this moment, or left what is being handled. */
  private current(): Attempt | undefined {
    const life = effectContext.getStore()?.life;
    if (life === undefined) return undefined;
    for (const attempt of this.attempts.values()) if (attempt.life.tag === life) return attempt;
    return undefined;
  }

  currentRun(): string | undefined {
    return this.current()?.runId;
  }

  /** Fails the run whose code left an error that nobody caught; answers its id. */
  blame(error: unknown): string | undefined {
    const attempt = this.current();
    attempt?.life.uncaught(error);
    return attempt?.runId;
  }

  poke(runId: string): void {
    this.attempts.get(runId)?.inbox.poke();
  }

  pokeAll(): void {
    for (const attempt of this.attempts.values()) attempt.inbox.poke();
  }

  /** Extends the leases of all runs here, or of these; those that another owner has taken over end. */
  async renew(of: readonly Attempt[] = [...this.attempts.values()]): Promise<void> {
    const term = this.leases.term();
    const signs = of.map(({ claim, life }) => ({ claim, activeMs: life.time.total() }));
    const lost = new Set(await this.settings.engine.renew(signs, { now: term.now, until: term.date }));
    for (const { claim } of signs) {
      const attempt = this.attempts.get(claim.runId);
      if (attempt?.claim.fence !== claim.fence) continue; // it was given back and taken again meanwhile
      if (!lost.has(claim.runId)) this.leases.hold(claim.runId, term);
      else attempt.life.fail(new JournalConflictError(claim.runId, 'another owner has taken it over.'));
    }
  }

  // The process goes.

  /** Lets running effects end and gives every run back. */
  async giveAllBack(): Promise<void> {
    this.closed = true;
    await this.allLaunched();
    await Promise.all([...this.attempts.values()].map((attempt) => giveBack(attempt)));
    await this.allLaunched(); // one that was at the end of its generation gives itself back
  }

  private async allLaunched(): Promise<void> {
    while (this.launching.size > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Whoever was on the way to it here has it, or has not got it. */
  async launched(runId: string): Promise<void> {
    while (this.launching.has(runId)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** There is no more time: what is still in flight is given back as it stands, its INTENTs open. */
  async giveUp(): Promise<void> {
    const { engine, clock, onProblem } = this.settings;
    const left = [...this.attempts.values()];
    for (const { life } of left) life.unload();
    await Promise.all(
      left.map(async ({ runId, claim, journal, life }) => {
        const activeMs = life.time.total();
        try {
          await journal.writer.flush();
          await engine.release(claim, { status: 'pending', now: clock.now(), activeMs });
        } catch (error) {
          onProblem(error, `giving run ${runId} back`);
        }
      }),
    );
  }

  /** Drops everything, as a dying process would. */
  abandon(): void {
    this.closed = true;
    for (const { life } of this.attempts.values()) life.unload();
    this.attempts.clear();
    this.leases.clear();
  }
}
