import { FlyballError, JournalConflictError } from '../core/errors.js';
import type { Owner } from '../core/events.js';
import type { Agent } from '../core/run.js';
import type { Claim, DueQuery, RunRecord } from '../ports/engine.js';
import { agentNamed } from './agent-named.js';
import type { Attempt } from './attempt.js';
import { type Household, hostFor } from './attempt-host.js';
import type { Audience } from './audience.js';
import { effectContext } from './effect-context.js';
import type { AttemptHost, Life } from './host.js';
import { Leases, type Term } from './leases.js';
import { begin, type Home, hearAndOpen, putBack, type Why } from './opening.js';
import type { Settings } from './options.js';
import type { OtherRunsHost } from './reach.js';
import type { Resume } from './reopening.js';
import { giveBack } from './resting.js';
import { RunClocks } from './run-clocks.js';
import { Trials } from './trials.js';
import { until } from './until.js';

/** How a run is claimed by its name. */
export interface How {
  /** It has slept here for as long as it was to, whatever the date says. */
  readonly slept?: true;
  /** Whoever dispatches runs has decided that it is our turn: it is taken from any other owner. */
  readonly takeOver?: true;
  /** Only what was decided about it is written down; then it is put back in line. */
  readonly putBack?: true;
}

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
  /** Of runs that are about to be launched: one may be there more than once. */
  private readonly places = new Set<{ readonly runId: string }>();
  /** As many as may be among those that are just being taken. */
  private placesToTake = 0;
  /** Runs are just being taken: which ones is not known yet. */
  private taking: Promise<void> = Promise.resolve();
  private closed = false;
  private reachable: OtherRunsHost | undefined;
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

  /** Says how runs that live here reach other runs. */
  reach(others: OtherRunsHost): void {
    this.reachable = others;
  }

  others(): OtherRunsHost {
    if (this.reachable === undefined) throw new FlyballError('RUN_UNLOADED', 'This runtime is not open yet.');
    return this.reachable;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  get size(): number {
    return this.attempts.size;
  }

  /** Places of runs that are here, on their way, or may be. */
  get occupied(): number {
    const coming = new Set(this.launching);
    for (const { runId } of this.places) coming.add(runId);
    let occupied = this.attempts.size + this.placesToTake;
    for (const runId of coming) if (!this.attempts.has(runId)) occupied += 1;
    return occupied;
  }

  /** Keeps a place for a run that is about to be launched, until what this returns is called. */
  keepPlace(runId: string): () => void {
    const place = { runId };
    this.places.add(place);
    return () => void this.places.delete(place);
  }

  has(runId: string): boolean {
    return this.attempts.has(runId) || this.launching.has(runId);
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

  assertOpen(): void {
    if (this.closed) throw new FlyballError('RUN_UNLOADED', 'This runtime is closed; open another one.');
  }

  // Runs come.

  /** Claims a run and sets it going. */
  async launch(runId: string, why: Why, resume?: Resume, how: How = {}): Promise<void> {
    await this.taking; // it may be among them
    this.assertOpen();
    if (this.has(runId)) return;
    this.launching.add(runId);
    await this.whileLaunching(runId, async () => {
      const { engine, host } = this.settings;
      await host.refresh();
      const before = how.slept === true ? undefined : await engine.get(runId);
      const term = this.leases.term();
      // whoever wakes a run by hand goes by the date, and would find it asleep again and again
      if ((before?.wakeAt ?? Number.POSITIVE_INFINITY) <= term.now) this.clocks.forget(runId);
      const claim = await this.claim(runId, term, how);
      await this.enter(claim, term, why, { resume, how });
    });
  }

  /** Whoever held a run as this owner does so no more: this process was it, or it is gone. */
  isOver(owner: Owner): boolean {
    const { host } = this.settings;
    return owner.id === host.owner().id || host.isGone(owner);
  }

  /**
   * What it says of owners holds while the claim is waited for. One that was cut off may arrive later: by then the run may
   * live here, or it may be the turn of somebody else.
   */
  private async claim(runId: string, term: Term, { takeOver, putBack }: How): Promise<Claim> {
    const { engine, host } = this.settings;
    for (;;) {
      const me = host.owner();
      let isWaiting = true;
      const isGone = (owner: Owner): boolean =>
        isWaiting && ((takeOver === true && owner.passing !== true) || this.isOver(owner));
      const owner: Owner = putBack === true ? { ...me, passing: true } : me;
      try {
        return await engine.claim(runId, { owner, isGone, ...term });
      } catch (error) {
        // an operator may have declared us gone at this moment: then we have another name by now
        if (error instanceof JournalConflictError) await host.refresh();
        if (host.owner().id === me.id) throw error;
      } finally {
        isWaiting = false;
      }
    }
  }

  /** Takes what is due and sets it going. Answers the runs; what became of each is told as it happens. */
  async take(query: DueQuery, onFailure: (runId: string, error: unknown) => void): Promise<readonly RunRecord[]> {
    const { engine, host } = this.settings;
    const term = this.leases.term();
    const here = [...this.launching, ...this.leases.lapsed(this.attempts.keys())];
    const taken = engine.take({ ...query, here }, { owner: host.owner(), ...term });
    this.placesToTake = query.limit; // what is started meanwhile must not get them as well
    const come = (claims: readonly Claim[]): void => {
      for (const { runId } of claims) this.launching.add(runId);
      this.placesToTake = 0;
    };
    this.taking = taken.then(come, () => come([]));
    const claims = await taken;
    for (const claim of claims) {
      const { runId } = claim;
      await this.whileLaunching(runId, () => this.enter(claim, term, 'wake', {})).catch((error: unknown) =>
        onFailure(runId, error),
      );
    }
    return claims.map(({ record }) => record);
  }

  private async whileLaunching(runId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.launching.delete(runId);
      if (!this.attempts.has(runId)) this.trials.acquit(runId);
    }
  }

  /** It is ours: it comes to life, or is put back. */
  private async enter(
    claim: Claim,
    term: Term,
    why: Why,
    { resume, how = {} }: { readonly resume?: Resume | undefined; readonly how?: How },
  ): Promise<void> {
    const { runId } = claim;
    this.trials.claimed(claim.record);
    this.leases.hold(runId, term);
    try {
      if (this.closed) return await putBack(this, claim);
      await begin(this, claim, claim.previous === undefined ? why : 'takeover', { resume, ...how });
    } finally {
      if (!this.attempts.has(runId)) this.clocks.forget(runId);
    }
  }

  lives(attempt: Attempt): void {
    this.attempts.set(attempt.runId, attempt);
  }

  hasBegun(): void {
    if (this.attempts.size > this.settings.options.maxLoaded) this.makeRoom();
    this.onChange();
  }

  /** Unloads those that only wait. */
  makeRoom(): void {
    for (const attempt of this.attempts.values()) this.host.idle(attempt);
  }

  /**
   * Goes on with the next generation. Nothing is in flight between two of them, and the life that ended may not have
   * heard everything: a run whose generations are shorter than it takes to read its messages would hear none.
   */
  async turn({ runId, claim: { previous: _counted, ...held } }: Life, generation: number): Promise<void> {
    const claim: Claim = { ...held, was: 'running', record: { ...held.record, generation } };
    this.launching.add(runId);
    try {
      await hearAndOpen(this, claim, 'start', undefined);
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
    const lost = new Set(await this.settings.engine.renew(signs, term));
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
    await this.taking; // what is just being taken would be found in the hands of a process that is gone
    await this.allLaunched();
    await Promise.all([...this.attempts.values()].map((attempt) => giveBack(attempt)));
    await this.allLaunched(); // one that was at the end of its generation gives itself back
    await until(() => this.attempts.size === 0, this.settings.clock); // one that has ended is on its way to be given back
  }

  private allLaunched(): Promise<void> {
    return until(() => this.launching.size === 0, this.settings.clock);
  }

  /** One that has come to its end here, at a bound say, is no longer at work: it is on its way to be given back. */
  givenBack(runId: string): Promise<void> {
    return until(() => this.attempts.get(runId)?.journal.isOver !== true, this.settings.clock);
  }

  /** Whoever was on the way to it here has it, or has not got it. */
  launched(runId: string): Promise<void> {
    return until(() => !this.launching.has(runId), this.settings.clock);
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
          await engine.release(claim, { status: 'pending', inLine: true, now: clock.now(), activeMs });
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
