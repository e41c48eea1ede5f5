import { budget as completeBudget, type Budget } from '../core/budget.js';
import { encode } from '../core/codec.js';
import { ConfigError, FlyballError, JournalConflictError } from '../core/errors.js';
import type { Entry, EventOf, RunEvent, SagaEntry } from '../core/events.js';
import type { ModelDelta } from '../core/model.js';
import { isTerminal, type Outcome, type Waiting } from '../core/outcome.js';
import type { Agent } from '../core/run.js';
import type { Claim, Rest, RunRecord, RunStatus } from '../ports/engine.js';
import { Attempt } from './attempt.js';
import type { AttemptHost, Compensators } from './host.js';
import { load, readEntries } from './load.js';
import { indexJournal, type LoadedEntry } from './recorded.js';
import type { RuntimeOptions, RuntimeParts } from './runtime.js';
import { type Seams, through } from './seams.js';
import type { Written } from './writer.js';

type Why = EventOf<'attempt-start'>['why'];
type Resume = { readonly by: string; readonly budget?: Partial<Budget> };
type Parts = RuntimeParts & { readonly seams: Seams; readonly options: RuntimeOptions };

/** The runs that live in this process right now: claimed, loaded, driven, and given back when they rest. */
export class Lives {
  private readonly parts: Parts;
  private readonly attempts = new Map<string, Attempt>();
  private readonly leases = new Map<string, number>();
  private readonly resting = new Map<string, { resolve: (outcome: Outcome<unknown>) => void; reject: (error: unknown) => void }[]>();
  private readonly ending = new Map<string, ((outcome: Outcome<unknown>) => void)[]>();
  private readonly listeners = new Set<(runId: string, entries: readonly Entry[]) => void>();
  private readonly deltaListeners = new Set<(runId: string, effect: string, attempt: number, delta: ModelDelta) => void>();
  private readonly launching = new Set<string>();
  private readonly host: AttemptHost;
  private stopWatching: (() => void) | undefined;
  private cancelLook: (() => void) | undefined;
  private cancelRenew: (() => void) | undefined;
  private looking = false;
  private closed = false;

  constructor(parts: Parts) {
    this.parts = parts;
    this.host = this.makeHost();
  }

  get size(): number {
    return this.attempts.size;
  }

  has(runId: string): boolean {
    return this.attempts.has(runId);
  }

  agent(name: string): { readonly agent: Agent<unknown, unknown>; readonly version: string } {
    const found = Object.hasOwn(this.parts.agents, name) ? this.parts.agents[name] : undefined;
    if (found === undefined) {
      throw new FlyballError('AGENT_UNKNOWN', `No agent is registered as "${name}". Known here: ${Object.keys(this.parts.agents).join(', ') || 'none'}.`);
    }
    const agent = (typeof found === 'function' ? found : found.agent) as Agent<unknown, unknown>;
    return { agent, version: typeof found === 'function' ? '1' : found.version };
  }

  // --- launching -----------------------------------------------------------------------------------------------------

  /** Claims a run and sets it going. */
  async launch(runId: string, why: Why, resume?: Resume): Promise<void> {
    if (this.closed) throw new FlyballError('RUN_UNLOADED', 'This runtime is closed.');
    if (this.attempts.has(runId) || this.launching.has(runId)) return;
    this.launching.add(runId);
    try {
      const before = await this.parts.engine.get(runId);
      const now = this.parts.clock.now();
      const leaseUntil = now + this.parts.options.leaseMs;
      const me = this.parts.host.owner();
      const claim = await this.parts.engine.claim(runId, { owner: me, now, leaseUntil, isGone: (owner) => owner.id === me.id || this.parts.host.isGone(owner) });
      this.leases.set(runId, leaseUntil);
      await this.begin(claim, before?.status ?? 'pending', claim.previous === undefined ? why : 'takeover', resume);
    } finally {
      this.launching.delete(runId);
    }
  }

  private async begin(claim: Claim, was: RunStatus, why: Why, resume?: Resume): Promise<void> {
    try {
      if (resume === undefined && claim.record.crashes > this.parts.options.maxResumes) {
        return await this.setAside(claim, `It crashed ${claim.record.crashes} times in a row without getting further. Look at its last entries, then resume it by hand.`);
      }
      await this.admitControl(claim, was, resume);
      await this.open(claim, claim.record.generation, why);
    } catch (error) {
      if (error instanceof ConfigError) await this.putBack(claim, was);
      else await this.setAside(claim, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** The request was wrong, not the run: it rests as it did before. */
  private async putBack(claim: Claim, was: RunStatus): Promise<void> {
    this.leases.delete(claim.runId);
    const status = was === 'bounded' || was === 'paused' ? was : 'pending';
    await this.parts.engine.release(claim, { status, now: this.parts.clock.now() });
  }

  private async setAside(claim: Claim, attention: string): Promise<void> {
    this.leases.delete(claim.runId);
    await this.parts.engine.release(claim, { status: 'stalled', attention, now: this.parts.clock.now() });
    this.settleResting(claim.runId, { error: new FlyballError('RESUMES_EXHAUSTED', `Run ${claim.runId} is set aside: ${attention}`) });
  }

  /** Enters what was decided about the run while nobody ran it: a resume, a larger budget, a cancellation. */
  private async admitControl(claim: Claim, was: RunStatus, resume: Resume | undefined): Promise<void> {
    const { engine, clock } = this.parts;
    const messages = (await engine.inbox(claim.runId, 0)).filter(({ kind }) => kind === 'cancel' || kind === 'resume');
    const needsEntry = resume !== undefined && (resume.budget !== undefined || was === 'bounded' || was === 'paused');
    if (messages.length === 0 && !needsEntry) return;
    const { entries } = await load(engine, claim.record, claim.record.generation);
    const recorded = indexJournal(entries, { deep: false });
    const events: RunEvent[] = [];
    if (resume !== undefined && needsEntry) events.push({ type: 'run-resume', by: resume.by, ...enlarged(claim.runId, was, recorded, entries, resume) });
    for (const message of messages) {
      if (message.kind === 'resume') events.push({ type: 'run-resume', by: message.from });
      else if (!recorded.deliveries.some(({ event }) => event.type === 'cancel')) {
        events.push({ type: 'run-resume', by: message.from }, { type: 'cancel', by: message.from, why: (JSON.parse(message.body) as { why: string }).why });
      }
    }
    let seq = recorded.nextSeq;
    const stored = events.map((event) => ({ generation: claim.record.generation, seq: seq++, at: clock.now(), activeMs: recorded.activeMs, body: encode(event).body }));
    await engine.append(claim, { entries: stored, taken: messages.map(({ number }) => number) });
  }

  private async open(claim: Claim, generation: number, why: Why): Promise<void> {
    const loaded = await load(this.parts.engine, claim.record, generation);
    const recorded = indexJournal(loaded.entries, { deep: false });
    if (recorded.end !== undefined) {
      // it ended, but its owner died before it could say so
      await this.parts.engine.release(claim, { status: recorded.end.outcome.stop as Exclude<Outcome<unknown>['stop'], 'suspended'>, now: this.parts.clock.now() });
      return this.settleResting(claim.runId, { outcome: recorded.end.outcome });
    }
    const attempt = new Attempt({ host: this.host, claim, recorded, generation, lineage: loaded.lineage });
    this.attempts.set(claim.runId, attempt);
    attempt.push({ type: 'attempt-start', attempt: recorded.attempts + 1, why, owner: this.parts.host.owner().id });
    attempt.start(this.agent(claim.record.agent).agent);
    this.renewSoon();
    if (this.attempts.size > this.parts.options.maxLoaded) for (const other of this.attempts.values()) other.suspend();
  }

  // --- what attempts need ----------------------------------------------------------------------------------------------

  private makeHost(): AttemptHost {
    const { engine, clock, seams, options, host } = this.parts;
    const me = host.owner();
    return {
      engine,
      clock,
      seams,
      options,
      me,
      isGone: (owner) => host.isGone(owner),
      leaseHolds: (attempt) => (this.leases.get(attempt.runId) ?? 0) > clock.now(),
      priceOf: (modelId) => this.parts.prices?.(modelId),
      aroundAgent: async (agent, run, input, runId) =>
        through(seams, 'run', (value) => agent(run, value))(input, { runId, tenant: run.tenant, subject: run.subject, at: '' }),
      publish: (runId, entries) => this.publish(runId, entries),
      delta: (runId, effect, attempt, delta) => {
        for (const listener of this.deltaListeners) listener(runId, effect, attempt, delta);
      },
      live: () => {},
      ended: (attempt, outcome) => this.ended(attempt, outcome),
      broke: (attempt, error) => this.broke(attempt, error),
      release: (attempt, rest) => this.release(attempt, rest),
      nextGeneration: (attempt, generation) => {
        this.attempts.delete(attempt.runId);
        const claim = { ...attempt.claim, record: { ...attempt.claim.record, generation } };
        this.open(claim, generation, 'start').catch((error: unknown) => this.broke(attempt, error));
      },
      harvested: () => {},
      harvest: (attempt, generation) => this.harvest(attempt, generation),
      intentOf: (attempt, entry) => this.intentOf(attempt, entry),
    };
  }

  private async harvest(attempt: Attempt, generation: number): Promise<Compensators> {
    const loaded = await load(this.parts.engine, attempt.claim.record, generation);
    const recorded = indexJournal(loaded.entries, { deep: true });
    return new Promise((resolve) => {
      const learner: Attempt = new Attempt({
        host: {
          ...this.host,
          harvested: () => {
            learner.unload();
            resolve(learner.compensators);
          },
          broke: () => resolve(learner.compensators), // code that no longer matches: what was learnt so far is all there is
          ended: () => resolve(learner.compensators),
        },
        claim: attempt.claim,
        recorded,
        generation,
        lineage: loaded.lineage,
        harvest: true,
      });
      learner.start(this.agent(attempt.claim.record.agent).agent);
    });
  }

  private async intentOf(attempt: Attempt, entry: SagaEntry): Promise<EventOf<'intent'> | undefined> {
    const entries = await readEntries(this.parts.engine, attempt.runId, entry.generation);
    const found = entries.findLast(({ event }) => event.type === 'intent' && event.id === entry.effect)?.event;
    return found?.type === 'intent' ? found : undefined;
  }

  private async release(attempt: Attempt, rest: Rest): Promise<void> {
    await this.parts.engine.release(attempt.claim, rest);
    this.forget(attempt);
  }

  private forget(attempt: Attempt): void {
    if (this.attempts.get(attempt.runId) === attempt) {
      this.attempts.delete(attempt.runId);
      this.leases.delete(attempt.runId);
    }
    if (this.attempts.size === 0) {
      this.cancelRenew?.();
      this.cancelRenew = undefined;
    }
  }

  private ended(attempt: Attempt, outcome: Outcome<unknown>): void {
    this.forget(attempt);
    this.settleResting(attempt.runId, { outcome });
    this.lookSoon();
  }

  private broke(attempt: Attempt, error: unknown): void {
    this.forget(attempt);
    const code = error instanceof FlyballError ? error.code : undefined;
    const keepsLease = code === 'JOURNAL_CONFLICT' || code?.startsWith('STORAGE_') === true;
    const settle = (): void => this.settleResting(attempt.runId, { error });
    if (keepsLease) return settle();
    const attention = error instanceof Error ? error.message : String(error);
    this.parts.engine.release(attempt.claim, { status: 'stalled', attention, now: this.parts.clock.now() }).then(settle, settle);
  }

  // --- whoever waits for a run -------------------------------------------------------------------------------------------

  outcome(runId: string): Promise<Outcome<unknown>> {
    if (this.attempts.has(runId) || this.launching.has(runId)) {
      return new Promise((resolve, reject) => {
        const waiting = this.resting.get(runId) ?? [];
        waiting.push({ resolve, reject });
        this.resting.set(runId, waiting);
      });
    }
    return this.restOf(runId);
  }

  async finished(runId: string): Promise<Outcome<unknown>> {
    const now = await this.outcome(runId);
    if (now.stop !== 'suspended') return now;
    return new Promise((resolve) => {
      const waiting = this.ending.get(runId) ?? [];
      waiting.push(resolve);
      this.ending.set(runId, waiting);
      this.lookSoon();
    });
  }

  /** How a run that nobody runs here stands, from its journal. */
  private async restOf(runId: string): Promise<Outcome<unknown>> {
    const record = await this.parts.engine.get(runId);
    if (record === undefined) throw new FlyballError('RUN_NOT_FOUND', `There is no run ${runId}.`);
    if (record.status === 'stalled') throw new FlyballError('RESUMES_EXHAUSTED', `Run ${runId} is set aside: ${record.attention ?? 'no reason given'}`);
    const { entries } = await load(this.parts.engine, record, record.generation);
    const { end } = indexJournal(entries, { deep: false });
    if (end !== undefined) return end.outcome;
    return { stop: 'suspended', waiting: openWaits(entries, record), ...(record.status === 'paused' ? { paused: true } : {}) };
  }

  private settleResting(runId: string, how: { readonly outcome: Outcome<unknown> } | { readonly error: unknown }): void {
    const waiting = this.resting.get(runId) ?? [];
    this.resting.delete(runId);
    for (const { resolve, reject } of waiting) 'outcome' in how ? resolve(how.outcome) : reject(how.error);
    if ('outcome' in how && how.outcome.stop !== 'suspended') {
      for (const resolve of this.ending.get(runId) ?? []) resolve(how.outcome);
      this.ending.delete(runId);
    }
  }

  subscribe(listener: (runId: string, entries: readonly Entry[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  subscribeDeltas(listener: (runId: string, effect: string, attempt: number, delta: ModelDelta) => void): () => void {
    this.deltaListeners.add(listener);
    return () => this.deltaListeners.delete(listener);
  }

  private publish(runId: string, entries: readonly Written[]): void {
    for (const listener of this.listeners) {
      try {
        listener(runId, entries);
      } catch {
        // an observer's failure is its own: the run must not feel it
      }
    }
  }

  // --- the worker --------------------------------------------------------------------------------------------------------

  work(): void {
    this.stopWatching = this.parts.engine.watch(() => {
      for (const attempt of this.attempts.values()) attempt.inbox.poke();
      this.lookSoon();
    });
    this.lookSoon();
  }

  poke(runId: string): void {
    this.attempts.get(runId)?.inbox.poke();
  }

  lookAround(): void {
    this.lookSoon();
  }

  private lookSoon(): void {
    if (!this.parts.options.worker || this.closed || this.looking) return;
    this.looking = true;
    setImmediate(() => {
      this.look().catch(() => undefined).finally(() => {
        this.looking = false;
        this.scheduleLook();
      });
    });
  }

  /** Claims what is due. A run that another worker got first is none of our business. */
  private async look(): Promise<void> {
    if (this.closed) return;
    const room = Math.max(1, this.parts.options.maxLoaded - this.attempts.size);
    const due = await this.parts.engine.due({ now: this.parts.clock.now(), limit: Math.min(room, 100), agents: Object.keys(this.parts.agents), isGone: (owner) => this.parts.host.isGone(owner) });
    for (const runId of due) {
      if (this.attempts.has(runId)) continue;
      await this.launch(runId, 'wake').catch((error: unknown) => {
        if (!(error instanceof JournalConflictError)) this.settleResting(runId, { error });
      });
    }
    for (const runId of this.ending.keys()) if (!this.attempts.has(runId)) await this.noticeEnd(runId);
  }

  /** A run that we wait for may have ended in another process. */
  private async noticeEnd(runId: string): Promise<void> {
    const record = await this.parts.engine.get(runId);
    if (record !== undefined && record.status !== 'bounded' && isTerminal(record.status as Outcome<unknown>['stop']) && !['pending', 'running', 'paused', 'stalled'].includes(record.status)) {
      this.settleResting(runId, { outcome: await this.restOf(runId) });
    }
  }

  private scheduleLook(): void {
    this.cancelLook?.();
    if (this.closed) return;
    const keepAlive = this.ending.size > 0;
    this.parts.engine.nextDue().then(
      (next) => {
        if (this.closed) return;
        const ms = Math.min(this.parts.options.pollMs, Math.max(1, (next ?? Number.POSITIVE_INFINITY) - this.parts.clock.now()));
        this.cancelLook = this.parts.clock.after(ms, () => this.lookSoon(), { keepAlive });
      },
      () => undefined,
    );
  }

  private renewSoon(): void {
    if (this.cancelRenew !== undefined || this.closed) return;
    const { clock, options } = this.parts;
    this.cancelRenew = clock.after(options.leaseMs / 3, () => {
      this.cancelRenew = undefined;
      this.renew().catch(() => undefined).finally(() => {
        if (this.attempts.size > 0) this.renewSoon();
      });
    });
  }

  private async renew(): Promise<void> {
    const until = this.parts.clock.now() + this.parts.options.leaseMs;
    const claims = [...this.attempts.values()].map((attempt) => attempt.claim);
    const lost = new Set(await this.parts.engine.renew(claims, until));
    for (const { runId } of claims) {
      if (!lost.has(runId)) this.leases.set(runId, until);
      else this.attempts.get(runId)?.fail(new JournalConflictError(runId, 'another owner has taken it over.'));
    }
  }

  // --- the end -----------------------------------------------------------------------------------------------------------

  async close(drainMs: number): Promise<void> {
    this.stop();
    const drained = Promise.all([...this.attempts.values()].map((attempt) => attempt.giveBack()));
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.parts.clock.after(drainMs, resolve);
    });
    await Promise.race([drained, late]);
    cancel();
    this.abandon();
  }

  abandon(): void {
    this.stop();
    for (const attempt of this.attempts.values()) attempt.unload();
    this.attempts.clear();
  }

  private stop(): void {
    this.closed = true;
    this.stopWatching?.();
    this.cancelLook?.();
    this.cancelRenew?.();
  }
}

function enlarged(runId: string, was: RunStatus, recorded: ReturnType<typeof indexJournal>, entries: readonly LoadedEntry[], resume: Resume): { readonly budget?: Budget } {
  if (resume.budget === undefined) {
    if (was === 'bounded') {
      throw new ConfigError(`Run ${runId} reached a bound. Resume it with a larger budget, for example --budget ${lastTrip(entries)?.bound ?? 'costUsd'}=…`);
    }
    return {};
  }
  const budget = completeBudget({ ...recorded.budget, ...resume.budget });
  const trip = lastTrip(entries);
  if (was === 'bounded' && trip !== undefined && (budget[trip.bound] ?? 0) <= trip.limit) {
    throw new ConfigError(`Run ${runId} stopped at ${trip.bound} = ${trip.limit}; the new budget has ${budget[trip.bound] ?? 0}. Give it more of that.`);
  }
  return { budget };
}

function lastTrip(entries: readonly LoadedEntry[]): EventOf<'trip'> | undefined {
  const found = entries.findLast(({ event }) => event.type === 'trip' && event.node === '')?.event;
  return found?.type === 'trip' ? found : undefined;
}

function openWaits(entries: readonly LoadedEntry[], record: RunRecord): Waiting[] {
  const ended = new Set(entries.flatMap(({ event }) => (event.type === 'wait-end' || event.type === 'sleep-end' ? [event.id] : [])));
  const waits = entries.flatMap(({ event }): Waiting[] => {
    if (event.type === 'wait-start' && !ended.has(event.id)) {
      return [{ effect: event.id, kind: event.kind, name: event.name, token: event.token, ...(event.due === undefined ? {} : { until: event.due }), ...(event.request === undefined ? {} : { request: event.request }) }];
    }
    if (event.type === 'sleep-start' && !ended.has(event.id)) return [{ effect: event.id, kind: 'sleep', name: 'sleep', until: event.due }];
    return [];
  });
  return record.waiting.length === 0 ? waits : waits.filter((item) => item.kind === 'sleep' || record.waiting.includes(item.name));
}
