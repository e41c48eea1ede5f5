import { Breaker } from '../core/breaker.js';
import { ConfigError, FlyballError, failureOf, JournalConflictError, ReplayDivergedError } from '../core/errors.js';
import type { EffectId, EventOf, RunEvent, SagaEntry } from '../core/events.js';
import type { Outcome, Stop } from '../core/outcome.js';
import type { Agent } from '../core/run.js';
import type { Claim, Rest, RunRecord, RunStatus, StoredMessage } from '../ports/engine.js';
import { Attempt } from './attempt.js';
import type { Audience } from './audience.js';
import { effectContext } from './effect-context.js';
import { codeOf, finish } from './finish.js';
import type { AttemptHost, Life } from './host.js';
import { LiftedBounds } from './lifted-bounds.js';
import { type Loaded, load, readAll, readEntries } from './load.js';
import type { LoadedEntry } from './loaded-entry.js';
import type { Settings } from './options.js';
import { indexJournal, type Recorded } from './recorded.js';
import { controlBatch, openWaits, type Resume, refuseInVain } from './reopening.js';
import { giveBack, pause, suspend } from './resting.js';
import { RunClocks } from './run-clocks.js';
import { makeRun } from './run-object.js';
import type { Compensation, Done, Saga } from './saga.js';
import { through } from './seams.js';
import { isOfStorage, stoppedHere } from './stopped-here.js';
import { workedBefore } from './worked-before.js';
import { isProgress } from './writer.js';

/** Crashes in a row without progress before a run is tried alone. */
const SUSPECT_AFTER = 3;

type Why = EventOf<'attempt-start'>['why'];

/** The runs that live in this process right now: claimed, loaded, driven, and given back when they rest. */
export class Lives {
  private readonly settings: Settings;
  private readonly audience: Audience;
  private readonly attempts = new Map<string, Attempt>();
  private readonly finishing = new WeakSet<Attempt>();
  /** Until when the leases hold, by the monotonic reading: in the engine they are dates. */
  private readonly leases = new Map<string, number>();
  readonly clocks: RunClocks;
  private readonly launching = new Set<string>();
  private readonly host: AttemptHost;
  private closed = false;

  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * The run that is on trial. A process that dies takes all its runs with it, the innocent ones too: those that crashed
   * several times without getting further are tried one after the other, so that each is blamed for itself only.
   */
  private suspect: string | undefined;
  /** Called when a run was loaded or has gone. */
  onChange: () => void = () => undefined;

  constructor(settings: Settings, audience: Audience) {
    this.settings = settings;
    this.audience = audience;
    this.clocks = new RunClocks(settings.clock);
    this.host = this.makeHost();
  }

  get size(): number {
    return this.attempts.size;
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
    const { agents } = this.settings;
    const found = Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (found === undefined) {
      const known = Object.keys(agents).join(', ') || 'none';
      throw new FlyballError('AGENT_UNKNOWN', `No agent is registered as "${name}". Known here: ${known}.`, {
        detail: { name },
      });
    }
    const agent = (typeof found === 'function' ? found : found.agent) as Agent<unknown, unknown>;
    return { agent, version: typeof found === 'function' ? '1' : found.version };
  }

  versions(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.keys(this.settings.agents).map((name) => [name, this.agent(name).version]));
  }

  /** While a run is on trial, no other suspect is looked for. */
  wanted(): { readonly fewerCrashesThan?: number } {
    return this.suspect === undefined ? {} : { fewerCrashesThan: this.suspectAfter };
  }

  private get suspectAfter(): number {
    return Math.min(SUSPECT_AFTER, this.settings.options.maxResumes);
  }

  assertOpen(): void {
    if (this.closed) throw new FlyballError('RUN_UNLOADED', 'This runtime is closed; open another one.');
  }

  /** Claims a run and sets it going. A worker that found it due takes turns: see `suspect`. */
  async launch(runId: string, why: Why, resume?: Resume, how: { readonly inTurn?: true } = {}): Promise<void> {
    this.assertOpen();
    if (this.has(runId)) return;
    this.launching.add(runId);
    try {
      const { engine, clock, host, options } = this.settings;
      await host.refresh();
      const before = await engine.get(runId);
      if (this.isOnTrial(before) && how.inTurn === true && this.suspect !== runId) return;
      const now = clock.now();
      const holdsUntil = clock.monotonic() + options.leaseMs;
      // whoever wakes a run by hand goes by the date, and would find it asleep again and again
      if (how.inTurn !== true && (before?.wakeAt ?? Number.POSITIVE_INFINITY) <= now) this.clocks.forget(runId);
      const me = host.owner();
      const isGone = (owner: { readonly id: string } & typeof me): boolean => owner.id === me.id || host.isGone(owner);
      const claim = await engine.claim(runId, { owner: me, now, leaseUntil: now + options.leaseMs, isGone });
      this.leases.set(runId, holdsUntil);
      try {
        if (this.closed) return await this.putBack(claim, before?.status ?? 'pending');
        await this.begin(claim, before?.status ?? 'pending', claim.previous === undefined ? why : 'takeover', resume);
      } finally {
        if (!this.attempts.has(runId)) this.clocks.forget(runId);
      }
    } finally {
      this.launching.delete(runId);
      if (!this.attempts.has(runId)) this.acquit(runId);
    }
  }

  /** It may be what takes processes down: put on trial, unless another one is. */
  private isOnTrial(record: RunRecord | undefined): boolean {
    if (record === undefined) return false;
    const crashes = record.crashes + (record.owner === undefined ? 0 : 1);
    if (crashes < this.suspectAfter) return false;
    this.suspect ??= record.id;
    return true;
  }

  private acquit(runId: string): void {
    if (this.suspect !== runId) return;
    this.suspect = undefined;
    this.onChange();
  }

  private async begin(claim: Claim, was: RunStatus, why: Why, resume: Resume | undefined): Promise<void> {
    const { crashes } = claim.record;
    if (resume === undefined && crashes > this.settings.options.maxResumes) {
      return this.setAside(
        claim,
        `it crashed ${crashes} times in a row without getting further. Look at its last entries, then resume it by hand`,
      );
    }
    try {
      await this.hearAndOpen(claim, was, why, resume);
    } catch (error) {
      // a store that fails for a moment is no reason to set the run aside: its lease ends, and somebody tries again
      if (isStorageFailure(error)) this.leases.delete(claim.runId);
      else if (error instanceof ConfigError) await this.putBack(claim, was);
      else await this.setAside(claim, messageOf(error), error);
      throw error;
    }
  }

  /** What was said to a run is heard before anything of a life or of a generation begins. */
  private async hearAndOpen(claim: Claim, was: RunStatus, why: Why, resume: Resume | undefined): Promise<void> {
    const pauses = await this.admitControl(claim, was, resume);
    await this.open(claim, why, pauses);
  }

  /** Writes down what was decided about a run before it goes on; answers the pauses that its next life has to see to. */
  private async admitControl(
    claim: Claim,
    was: RunStatus,
    resume: Resume | undefined,
  ): Promise<readonly StoredMessage[]> {
    const { engine } = this.settings;
    const messages = (await engine.inbox(claim.runId, 0)).filter(({ kind }) => kind !== 'signal' && kind !== 'answer');
    if (messages.length === 0 && resume === undefined) return [];
    const loaded = await load(engine, claim.record, claim.record.generation);
    const { entries } = loaded;
    const recorded = indexJournal(entries, { deep: false });
    const { end, lastAt } = recorded;
    if (end !== undefined && end.outcome.stop !== 'bounded') return []; // it has ended; nothing decided since can change that
    const now = this.clocks.of(claim.runId, lastAt).now();
    const activeMs = this.workedBefore(recorded, claim);
    const control = controlBatch(claim, was, entries, { resume, messages, now, activeMs });
    if (control === undefined) return messages.filter(({ kind }) => kind === 'pause');
    if (resume?.budget !== undefined && was === 'bounded') {
      const keeps = await this.outcomesToKeep(claim, { ...loaded, entries: [...entries, ...control.entries] });
      refuseInVain(claim.runId, recorded.budget, entries, keeps);
    }
    await engine.append(claim, control.batch);
    if (control.entries.length > 0) this.audience.publish(claim.runId, control.entries);
    return messages.filter(({ kind, number }) => kind === 'pause' && control.batch.taken?.includes(number) !== true);
  }

  private async open(claim: Claim, why: Why, pauses: readonly StoredMessage[]): Promise<void> {
    const { generation } = claim.record;
    const loaded = await load(this.settings.engine, claim.record, generation);
    const keeps = await this.outcomesToKeep(claim, loaded);
    if (this.closed) return this.putBack(claim, 'pending');
    const recorded = indexJournal(loaded.entries, { deep: false, keeps });
    if (recorded.end !== undefined) {
      // it ended, but its owner died before it could say so
      const { outcome } = recorded.end;
      this.leases.delete(claim.runId);
      await this.settings.engine.release(claim, {
        status: outcome.stop as Exclude<Stop, 'suspended'>,
        ...codeOf(outcome),
        now: this.settings.clock.now(),
      });
      return this.audience.rested(claim.runId, { outcome });
    }
    // it paused as its generation began, or its owner died before it could say so
    if (recorded.isPaused) return this.restPaused(claim, loaded.entries);
    const attempt = new Attempt({
      host: this.host,
      clock: this.clocks.of(claim.runId, recorded.lastAt),
      claim,
      recorded,
      generation,
      lineage: loaded.lineage,
      workedMs: this.workedBefore(recorded, claim),
    });
    this.attempts.set(claim.runId, attempt);
    const { at } = attempt.journal.push({
      type: 'attempt-start',
      attempt: recorded.attempts + 1,
      why,
      owner: this.host.me,
      ...(keeps.length === 0 ? {} : { keeps }),
    });
    attempt.delivery.livesFrom(at);
    for (const message of pauses) attempt.life.requestPause(message);
    attempt.life.start(this.agent(claim.record.agent).agent, makeRun(attempt, attempt.effects.root));
    if (this.attempts.size > this.settings.options.maxLoaded)
      for (const other of this.attempts.values()) this.host.idle(other);
    this.onChange();
  }

  private workedBefore(recorded: Recorded, claim: Claim): number {
    const { clock, options } = this.settings;
    return workedBefore(recorded, claim, { now: clock.now(), signEveryMs: options.leaseMs / 3 });
  }

  private async restPaused(claim: Claim, entries: readonly LoadedEntry[]): Promise<void> {
    this.leave(claim.runId);
    await this.settings.engine.release(claim, { status: 'paused', now: this.settings.clock.now() });
    const waiting = openWaits(entries, claim.record);
    this.audience.rested(claim.runId, { outcome: { stop: 'suspended', waiting, paused: true } });
  }

  /** It comes to rest before a life of it began here; of the generation before, one may have just ended. */
  private leave(runId: string): void {
    const last = this.attempts.get(runId);
    if (last === undefined) this.leases.delete(runId);
    else this.forget(last);
  }

  /** The request was wrong, not the run: it rests as it did before. */
  private async putBack(claim: Claim, was: RunStatus): Promise<void> {
    this.leave(claim.runId);
    const status = was === 'bounded' || was === 'paused' ? was : 'pending';
    await this.settings.engine.release(claim, { status, now: this.settings.clock.now() });
  }

  /** Nothing moves this run any more until a person looks at it. */
  private async setAside(claim: Claim, attention: string, cause?: unknown): Promise<void> {
    this.leases.delete(claim.runId);
    const error = setAsideError(claim.runId, attention);
    const { code } = failureOf(cause ?? error);
    await this.settings.engine.release(claim, { status: 'stalled', attention, code, now: this.settings.clock.now() });
    this.settings.onStalled(claim.runId, cause ?? error);
    this.audience.rested(claim.runId, { error });
  }

  private makeHost(): AttemptHost {
    const { engine, clock, seams, options, host, prices } = this.settings;
    const ifAlive = (life: Life, job: (attempt: Attempt) => Promise<void>): void => {
      const attempt = life as Attempt;
      // a job that fails after it unloaded its run has nobody left to tell but the host
      job(attempt).catch((error: unknown) =>
        attempt.life.isDead ? this.broke(attempt, error) : attempt.life.fail(error),
      );
    };
    return {
      engine,
      seams,
      options,
      me: host.owner(),
      isGone: (owner) => host.isGone(owner),
      leaseHolds: (life) => this.attempts.get(life.runId) === life && this.holdsLease(life.runId),
      priceOf: (modelId, own) => (prices === undefined ? own : prices(modelId, own)),
      breakerOf: breakers(),
      aroundAgent: async (agent, run, input) =>
        through(seams, 'run', (value) => agent(run, value))(input, {
          runId: run.id,
          tenant: run.tenant,
          subject: run.subject,
          at: '',
        }),
      publish: (runId, entries) => {
        if (runId === this.suspect && entries.some(({ event }) => isProgress(event))) this.acquit(runId);
        this.audience.publish(runId, entries);
      },
      isWatched: () => this.audience.isWatched(),
      delta: (...about) => this.audience.delta(...about),
      settled: (life) => {
        const attempt = life as Attempt;
        if (attempt.life.settlement === undefined || this.finishing.has(attempt)) return;
        this.finishing.add(attempt);
        const { settlement } = attempt.life;
        ifAlive(attempt, () => finish(attempt, settlement));
      },
      stopped: (life) => ifAlive(life, pause),
      idle: (life) => ifAlive(life, suspend),
      ended: (life, outcome) => {
        this.forget(life);
        if (outcome.stop !== 'suspended') this.report(life);
        this.audience.rested(life.runId, { outcome });
      },
      broke: (life, error) => this.broke(life, error),
      release: async (life, rest) => {
        const activeMs = (life as Attempt).life.time.total();
        await engine.release(life.claim, { ...rest, now: clock.now(), activeMs });
        this.forget(life, rest.status === 'suspended' ? rest.wakeAt : undefined);
        if (rest.status === 'bounded') await this.honourLateCancel(life.runId);
      },
      nextGeneration: (life, generation) => {
        this.turn(life, generation).catch((error: unknown) => this.broke(life, error));
      },
      harvested: () => undefined,
      leftBy: (life, generation) => this.leftBy(life, generation),
      harvest: (life, generation) => this.harvest(life, generation),
    };
  }

  /**
   * Goes on with the next generation. Nothing is in flight between two of them, and the life that ended may not have
   * heard everything: a run whose generations are shorter than it takes to read its messages would hear none.
   */
  private async turn({ runId, claim: { previous: _counted, ...held } }: Life, generation: number): Promise<void> {
    const claim = { ...held, record: { ...held.record, generation } };
    this.launching.add(runId);
    try {
      await this.hearAndOpen(claim, 'running', 'start', undefined);
    } finally {
      this.launching.delete(runId);
    }
  }

  /** Hands the whole journal to telemetry. Nothing waits for it. */
  private report({ runId, claim }: Life): void {
    const { engine, telemetry, onProblem } = this.settings;
    if (telemetry === undefined) return;
    const generations = engine.get(runId).then((record) => readAll(engine, record ?? claim.record));
    generations
      .then((entries) => telemetry(runId, entries))
      .catch((error: unknown) => onProblem(error, `reporting run ${runId}`));
  }

  private async harvest(life: Life, generation: number): Promise<ReadonlyMap<string, Compensation>> {
    const loaded = await load(this.settings.engine, life.claim.record, generation);
    return (await this.rehearse(life.claim, generation, loaded, { deep: true })).saga.compensations;
  }

  /**
   * The first process after a change of budget looks whether the past fits without the outcomes of children that go on.
   * Branches may share what they know, and then one that went by such an outcome would ask for something else now.
   */
  private async outcomesToKeep(claim: Claim, loaded: Loaded): Promise<readonly EffectId[]> {
    const { entries } = loaded;
    const isFirst = (lift: number): boolean => !entries.slice(lift).some(({ event }) => event.type === 'attempt-start');
    const keeps: EffectId[] = [];
    for (;;) {
      const lifted = new LiftedBounds(entries, keeps);
      if (![...lifted.children.values()].some(isFirst)) return keeps;
      const { diverged } = await this.rehearse(claim, claim.record.generation, loaded, { deep: false, keeps });
      if (diverged === undefined) return keeps;
      const at = entries.findLastIndex(({ event }) => asked(event) === diverged.id);
      const suspect = lifted.outcomes.find(({ place }) => place < at);
      if (suspect === undefined) return []; // that is not why: the life about to begin says so
      keeps.push(suspect.id);
    }
  }

  /** Runs the code through its past, and does nothing. */
  private rehearse(
    claim: Claim,
    generation: number,
    loaded: Loaded,
    mode: { readonly deep: boolean; readonly keeps?: readonly EffectId[] },
  ): Promise<{ readonly saga: Saga; readonly diverged: { readonly id: EffectId } | undefined }> {
    const recorded = indexJournal(loaded.entries, mode);
    return new Promise((resolve) => {
      const over = (error?: unknown): void => {
        learner.life.unload();
        const diverged = error instanceof ReplayDivergedError ? (error.detail as { readonly id: EffectId }) : undefined;
        resolve({ saga: learner.journal.saga, diverged });
      };
      // code that no longer matches its history breaks off: what was learnt until then is all there is
      const host: AttemptHost = {
        ...this.host,
        harvested: () => over(),
        broke: (_life, error) => over(error),
        settled: () => over(),
        stopped: () => over(),
        idle: () => undefined,
      };
      const learner: Attempt = new Attempt({
        host,
        clock: this.clocks.of(claim.runId, recorded.lastAt),
        claim,
        recorded,
        generation,
        lineage: loaded.lineage,
        workedMs: recorded.activeMs,
        harvest: mode,
      });
      learner.life.start(this.agent(claim.record.agent).agent, makeRun(learner, learner.effects.root));
    });
  }

  /** A cancellation that came while the run was ending at a bound is carried out from there. */
  private async honourLateCancel(runId: string): Promise<void> {
    const messages = await this.settings.engine.inbox(runId, 0);
    if (messages.some(({ kind }) => kind === 'cancel')) await this.settings.engine.requeue(runId);
  }

  private async leftBy(life: Life, generation: number): Promise<readonly Done[]> {
    const intents = new Map<EffectId, EventOf<'intent'>>();
    let left: readonly SagaEntry[] = [];
    for (const { event } of await readEntries(this.settings.engine, life.runId, generation)) {
      if (event.type === 'intent') intents.set(event.id, event);
      if (event.type === 'generation-end') left = event.undo;
    }
    return left.map((entry) => ({ entry, intent: intents.get(entry.effect) })).reverse();
  }

  private holdsLease(runId: string): boolean {
    return (this.leases.get(runId) ?? Number.NEGATIVE_INFINITY) > this.settings.clock.monotonic();
  }

  private forget(life: Life, wakeAt?: number): void {
    const { runId } = life;
    if (this.attempts.get(runId) !== life) return;
    this.attempts.delete(runId);
    this.leases.delete(runId);
    if (wakeAt === undefined) this.clocks.forget(runId);
    else this.clocks.sleeps(runId, wakeAt);
    this.acquit(runId);
    this.onChange();
  }

  private broke(life: Life, error: unknown): void {
    this.forget(life);
    const tell = (): void => this.audience.rested(life.runId, { error: stoppedHere(life.runId, error) });
    // a lost lease is not ours to give back, and a store that fails cannot take it
    if (isStorageFailure(error)) return tell();
    const { code } = failureOf(error);
    const rest: Rest = { status: 'stalled', attention: messageOf(error), code, now: this.settings.clock.now() };
    this.settings.onStalled(life.runId, error);
    this.settings.engine.release(life.claim, rest).then(tell, (problem: unknown) => {
      this.settings.onProblem(problem, `setting run ${life.runId} aside`);
      tell();
    });
  }

  /** How a run that nobody runs here stands, from its journal. */
  async restOf(runId: string): Promise<Outcome<unknown>> {
    const record = await this.settings.engine.get(runId);
    if (record === undefined)
      throw new FlyballError('RUN_NOT_FOUND', `There is no run ${runId}.`, { detail: { runId } });
    if (record.status === 'stalled') throw setAsideError(runId, record.attention ?? 'no reason is given');
    const { entries } = await load(this.settings.engine, record, record.generation);
    const { end } = indexJournal(entries, { deep: false });
    if (end !== undefined) return end.outcome;
    return {
      stop: 'suspended',
      waiting: openWaits(entries, record),
      ...(record.status === 'paused' ? { paused: true } : {}),
    };
  }

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
    const { clock, options } = this.settings;
    const now = clock.now();
    const holdsUntil = clock.monotonic() + options.leaseMs;
    const signs = of.map(({ claim, life }) => ({ claim, activeMs: life.time.total() }));
    const lost = new Set(await this.settings.engine.renew(signs, { now, until: now + options.leaseMs }));
    for (const { claim } of signs) {
      const attempt = this.attempts.get(claim.runId);
      if (attempt?.claim.fence !== claim.fence) continue; // it was given back and taken again meanwhile
      if (!lost.has(claim.runId)) this.leases.set(claim.runId, holdsUntil);
      else attempt.life.fail(new JournalConflictError(claim.runId, 'another owner has taken it over.'));
    }
  }

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
    const left = [...this.attempts.values()];
    for (const attempt of left) attempt.life.unload();
    await Promise.all(
      left.map(async (attempt) => {
        const activeMs = attempt.life.time.total();
        try {
          await attempt.journal.writer.flush();
          const now = this.settings.clock.now();
          await this.settings.engine.release(attempt.claim, { status: 'pending', now, activeMs });
        } catch (error) {
          this.settings.onProblem(error, `giving run ${attempt.runId} back`);
        }
      }),
    );
  }

  /** Drops everything, as a dying process would. */
  abandon(): void {
    this.closed = true;
    for (const attempt of this.attempts.values()) attempt.life.unload();
    this.attempts.clear();
    this.leases.clear();
  }
}

/** What the code asked for that this entry is about. */
function asked(event: RunEvent): EffectId | undefined {
  if (event.type === 'rollback-end') return `${event.scope}!rollback`;
  return 'id' in event ? event.id : undefined;
}

/** A lost claim, or a store that does not answer as it should. */
function isStorageFailure(error: unknown): boolean {
  return error instanceof JournalConflictError || isOfStorage(error);
}

function setAsideError(runId: string, attention: string): FlyballError {
  return new FlyballError('RUN_STALLED', `Run ${runId} is set aside: ${attention}. Fix the cause, then resume it.`, {
    detail: { runId, attention },
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function breakers(): AttemptHost['breakerOf'] {
  const known = new WeakMap<object, Breaker>();
  return (tool, policy) => {
    const breaker = known.get(tool) ?? new Breaker(policy);
    known.set(tool, breaker);
    return breaker;
  };
}
