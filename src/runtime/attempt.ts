import { type Amounts, boundReached, Ledger, NOTHING, type Refusal } from '../core/budget.js';
import { contentId } from '../core/codec.js';
import { type BoundReachedError, CancelledError, FlyballError, ReplayDivergedError } from '../core/errors.js';
import type { EffectId, EventOf, RunEvent, SagaEntry } from '../core/events.js';
import type { Outcome, Waiting } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Claim, StoredMessage } from '../ports/engine.js';
import { effectContext, type ExecutionPlace } from './effect-context.js';
import { finish, type Settlement } from './finish.js';
import type { AttemptHost } from './host.js';
import { Inbox } from './inbox.js';
import { isLeaf, type Pending } from './pending.js';
import { countTool, type EndEvent, isSagaStep, isUnder, type Recorded } from './recorded.js';
import { makeRun } from './run-object.js';
import { Scope } from './scope.js';
import { decodeWritten, Writer, type Written } from './writer.js';

/**
 * One life of a run in one process: runs the agent from the top, answers what the journal holds, then goes on live.
 *
 * Invariants:
 * 1. Completions reach the code one per macrotask, in journal order, live and on replay alike.
 * 2. While history remains, nothing new starts.
 * 3. An entry has its position before anyone acts on it; what acts on the world waits until it is durable.
 * 4. Budget and guard decisions in the journal are answered from it, never made again.
 * 5. Once `dead`, no call resolves and no listener or timer of ours is left behind.
 */
export class Attempt {
  readonly host: AttemptHost;
  readonly claim: Claim;
  readonly recorded: Recorded;
  readonly generation: number;
  readonly root: Scope;
  readonly inbox: Inbox;
  readonly open = new Map<EffectId, Pending>();
  readonly scopes = new Map<string, Scope>();
  readonly compensators = new Map<string, (how: { key: string; signal: AbortSignal }) => Promise<void>>();
  readonly intents: Map<EffectId, EventOf<'intent'>>;
  readonly saga: SagaEntry[];
  readonly calledTools: Record<string, number>;
  readonly writer: Writer;
  readonly storedLinks = new Set<string>();
  /** Set when this run is a fork: whose randomness it shares, and what its parent went on to do. */
  readonly lineage: Lineage;
  liveForkApproved = false;
  continuation: { readonly state: unknown } | undefined;
  cancelledBy: CancelledError | undefined;
  dead = false;
  live = false;
  settlement: Settlement | undefined;
  /** Where a harvest stops: it replays to learn compensations and makes no effect. */
  readonly harvest: boolean;
  nowAt: number;

  private readonly queue: Written[] = [];
  private readonly held: Pending[] = [];
  private readonly tripping = new Set<string>();
  private cursor = 0;
  private scheduled = false;
  private quietTurns = 0;
  private notes = 0;
  private activeBase: number;
  private activeSince: number | undefined;
  private pausing: StoredMessage | undefined;
  private finishing = false;
  private intentWaiters: (() => void)[] = [];
  private cancelTimers = new Map<string, () => void>();
  private started = false;

  constructor(parts: {
    readonly host: AttemptHost;
    readonly claim: Claim;
    readonly recorded: Recorded;
    readonly generation: number;
    readonly lineage: Lineage;
    readonly harvest?: boolean;
  }) {
    this.host = parts.host;
    this.claim = parts.claim;
    this.recorded = parts.recorded;
    this.generation = parts.generation;
    this.lineage = parts.lineage;
    this.liveForkApproved = [...parts.recorded.ends].some(([id, { event }]) => id.endsWith('!live') && event.type === 'wait-end' && isApproval(event.payload));
    this.harvest = parts.harvest ?? false;
    this.intents = new Map(parts.recorded.intents);
    this.saga = [...parts.recorded.saga];
    this.calledTools = { ...parts.recorded.calledTools };
    this.activeBase = parts.recorded.activeMs;
    this.nowAt = parts.recorded.first.at;
    const ledger = new Ledger('', parts.recorded.budget);
    if (parts.recorded.first.event.type === 'generation-start') ledger.debit({ ...parts.recorded.first.event.spent, wallMs: 0 });
    this.root = new Scope('', ledger);
    this.scopes.set('', this.root);
    this.inbox = new Inbox(this);
    this.writer = new Writer({
      engine: this.host.engine,
      claim: this.claim,
      generation: this.generation,
      nextSeq: parts.recorded.nextSeq,
      time: () => ({ at: this.host.clock.now(), activeMs: this.activeMs() }),
      onDurable: (entries) => this.host.publish(this.claim.runId, entries),
    });
  }

  get runId(): string {
    return this.claim.runId;
  }

  get originId(): string {
    return this.lineage.originId;
  }

  /** World-changing effects of this fork are stood in for. */
  get simulates(): boolean {
    return this.lineage.fork !== undefined && !this.lineage.fork.live;
  }

  get isLiveFork(): boolean {
    return this.lineage.fork?.live === true;
  }

  /** What the parent's journal holds for the same effect after the fork point. */
  async parentResult(id: EffectId, fp: string): Promise<EventOf<'complete'> | undefined> {
    const found = this.lineage.fork?.later.get(id);
    return found?.fp === fp ? found.end : undefined;
  }

  /** Runs the agent. The caller learns the end through `host.ended`. */
  start(agent: Agent<unknown, unknown>): void {
    this.started = true;
    this.resumeClock();
    const run = makeRun(this, this.root);
    const outside = { attempt: this, inEffect: false, host: false } satisfies ExecutionPlace;
    const settle = (how: Pick<Settlement, 'outcome' | 'error'>): void => {
      // what closes the run after this moment no longer changes how the function ended
      this.settlement = { ...how, closedBy: this.cancelledBy ?? this.root.closedBy ?? this.trippedAtOnce };
      this.kick();
    };
    effectContext.run(outside, () => {
      this.runAgent(agent, run).then(
        (outcome) => settle({ outcome }),
        (error: unknown) => settle({ error }),
      );
    });
    this.kick();
  }

  private runAgent(agent: Agent<unknown, unknown>, run: Run): Promise<Outcome<unknown>> {
    return this.host.aroundAgent(agent, run, this.recorded.input, this.runId);
  }

  // --- effects -------------------------------------------------------------------------------------------------

  /** Registers an effect the code asks for; starts it now, or when history has ended. */
  enter(pending: Pending, want: Partial<Amounts>): void {
    if (this.dead) return; // an unloaded run's calls never resolve
    const closed = pending.scope.closedReason();
    if (closed !== undefined) return pending.reject(closed);
    if (this.diverges(pending)) return;
    this.noteOverlap(pending.scope);
    // a rollback that has begun is seen to its end, like an act
    pending.intended = pending.kind === 'rollback' || this.recorded.starts.get(pending.id)?.some(({ event, inherited }) => event.type === 'intent' && !inherited) === true;
    this.open.set(pending.id, pending);
    pending.scope.open++;
    this.reserve(pending, want);
    const runsNow = pending.kind === 'spawn' ? this.harvest || !this.recorded.ends.has(pending.id) : this.live && this.pausing === undefined && !this.stopping;
    if (runsNow && (this.settlement === undefined || pending.kind === 'rollback')) this.begin(pending, want);
    else if (!this.recorded.ends.has(pending.id)) {
      this.held.push(pending);
      this.wants.set(pending.id, want);
    }
    this.resumeClock();
  }

  private readonly wants = new Map<EffectId, Partial<Amounts>>();

  private reserve(pending: Pending, want: Partial<Amounts>): void {
    const starts = this.recorded.starts.get(pending.id);
    const last = starts?.at(-1)?.event;
    const decided = last !== undefined && 'reserved' in last ? last.reserved : this.recorded.ends.has(pending.id) ? want : undefined;
    if (decided !== undefined) {
      // the journal agreed to this: taken without asking, and earlier attempts that a crash cut off count as spent
      for (const { event } of starts?.slice(0, -1) ?? []) if ('reserved' in event) pending.scope.ledger.debit(event.reserved);
      pending.scope.ledger.force(decided);
      pending.reserved = decided;
      return;
    }
    if (pending.scope.ledger.reserve(want) === undefined) pending.reserved = want;
  }

  private begin(pending: Pending, want: Partial<Amounts>): void {
    const refusal =
      pending.kind === 'spawn' ? undefined :
      pending.scope.ledger.outOfTime(this.activeMs(), this.host.clock.now()) ??
      (pending.reserved === undefined ? pending.scope.ledger.reserve(want) : undefined);
    if (refusal !== undefined) return this.trip(refusal);
    pending.reserved ??= want;
    pending.phase = 'running';
    effectContext.run({ attempt: this, inEffect: false, host: true }, () => {
      pending.drive().then(
        () => this.kick(),
        (error: unknown) => this.fail(error),
      );
    });
  }

  /** Appends an end and puts it in line for delivery. */
  record(event: EndEvent | EventOf<'trip' | 'cancel' | 'rollback-end'>): void {
    if (this.dead || this.harvest) return;
    const written = this.push(event);
    this.queue.push(written);
    this.kick();
    this.flushSoon();
  }

  push(event: RunEvent): Written {
    if (this.harvest) throw new FlyballError('REPLAY_DIVERGED', `A replay that only learns compensations reached something new (${event.type}).`);
    const written = this.writer.push(event);
    if (event.type === 'intent') this.intents.set(event.id, event);
    if (event.type === 'complete' && isSagaStep(this.intents.get(event.id), event)) {
      this.saga.push({ effect: event.id, generation: this.generation });
    }
    if (event.type === 'complete') countTool(this.calledTools, event, this.intents);
    return written;
  }

  /** Makes everything so far durable, or ends this attempt. Never resolves once it is dead. */
  async barrier(): Promise<void> {
    try {
      await this.writer.flush();
    } catch (error) {
      this.fail(error);
    }
    if (this.dead) await new Promise<never>(() => {});
  }

  /** Leaves the journal without a barrier for at most a moment: results wait for company, not for ever. */
  private flushSoon(): void {
    if (this.cancelTimers.has('flush')) return;
    this.timer('flush', this.host.options.flushAfterMs, () => {
      this.writer.flush().catch((error: unknown) => this.fail(error));
    });
  }

  /** The effect will never be answered from here: its scope was closed and it changed nothing. */
  drop(pending: Pending): void {
    if (this.open.get(pending.id) === pending) {
      this.open.delete(pending.id);
      pending.scope.open--;
      this.kick();
    }
  }

  scope(path: string, parent: Scope, ledger = parent.ledger): Scope {
    const known = this.scopes.get(path);
    if (known !== undefined) return known;
    const scope = new Scope(path, ledger, parent);
    this.scopes.set(path, scope);
    return scope;
  }

  // --- bounds and cancellation -------------------------------------------------------------------------------------

  trip(refusal: Refusal): void {
    if (this.tripping.has(refusal.node) || this.dead) return;
    this.tripping.add(refusal.node);
    const told = this.recorded.deliveries.slice(this.cursor).some(({ event }) => event.type === 'trip' && event.node === refusal.node);
    if (!told) this.record({ type: 'trip', ...refusal });
  }

  /** As `trip`, for a decision made in the code's own turn: it holds from here on, live and on replay alike. */
  tripAtOnce(refusal: Refusal): BoundReachedError {
    const error = boundReached(refusal);
    if (refusal.node === '') this.trippedAtOnce ??= error;
    this.trip(refusal);
    return error;
  }
  private trippedAtOnce: BoundReachedError | undefined;

  /** A bound above this scope was reached and is about to close it. */
  isTripping(scope: Scope): boolean {
    return [...this.tripping].some((node) => node !== scope.path && isUnder(scope.path, node));
  }

  warn(ledger: Ledger): void {
    for (const warning of ledger.warnings(0.8)) {
      if (!this.recorded.warned.has(`${warning.node} ${warning.axis}`)) this.push({ type: 'budget-warning', ...warning });
    }
  }

  /** Ends everything below `path` with `reason`: in-flight work is aborted, INTENTs are seen to their end. */
  close(path: string, reason: Error, options: { readonly spareIntents?: boolean } = {}): void {
    const target = this.scopes.get(path);
    if (target === undefined || target.closedBy !== undefined) return;
    target.closedBy = reason;
    for (const scope of this.scopes.values()) if (isUnder(scope.path, path)) scope.abort(reason);
    for (const pending of [...this.open.values()]) {
      if (!isUnder(pending.id, path) || pending.closedBy !== undefined) continue;
      if (options.spareIntents === true && pending.intended) continue;
      pending.closedBy = reason;
      // what was in flight may have been paid for: it counts as spent
      if (pending.reserved !== undefined && !pending.intended) {
        pending.scope.ledger.settle(pending.reserved, pending.phase === 'running' ? pending.reserved : {});
        pending.reserved = undefined;
      }
      pending.onAbort?.(reason);
      pending.reject(reason);
      // what is in flight drops itself when it ends; what never started and never will is forgotten here
      if (pending.phase !== 'running' && !pending.intended && !this.recorded.ends.has(pending.id)) this.drop(pending);
    }
  }

  // --- the pump ----------------------------------------------------------------------------------------------------

  kick(): void {
    if (this.scheduled || this.dead) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.pump();
    });
  }

  private pump(): void {
    if (this.dead) return;
    if (!this.live) return this.pumpHistory();
    const next = this.queue.shift();
    if (next !== undefined) {
      this.quietTurns = 0;
      this.deliver(decodeWritten(next), next);
      return this.kick();
    }
    this.afterTurn();
  }

  private pumpHistory(): void {
    const next = this.recorded.deliveries[this.cursor];
    if (next !== undefined) {
      this.cursor++;
      this.deliver(next.event, next);
      return this.kick();
    }
    if (this.harvest) return this.host.harvested(this);
    const orphan = this.unclaimedStart();
    if (orphan !== undefined) return this.fail(orphan);
    this.live = true;
    this.host.live(this);
    for (const pending of this.held.splice(0)) this.beginHeld(pending);
    this.inbox.open();
    this.kick();
  }

  private beginHeld(pending: Pending): void {
    const want = this.wants.get(pending.id) ?? {};
    this.wants.delete(pending.id);
    if (this.open.get(pending.id) !== pending) return;
    if (pending.closedBy !== undefined && !pending.intended) return this.drop(pending);
    if (this.pausing !== undefined && !pending.intended) {
      this.held.push(pending);
      this.wants.set(pending.id, want);
      return;
    }
    this.begin(pending, want);
  }

  private deliver(event: RunEvent, entry: { readonly at: number; readonly activeMs: number }): void {
    this.nowAt = entry.at;
    this.root.ledger.spent.wallMs = entry.activeMs;
    switch (event.type) {
      case 'trip':
        return this.close(event.node, boundReached(event));
      case 'cancel':
        this.cancelledBy = new CancelledError(event.why);
        return this.close('', this.cancelledBy);
      case 'rollback-end':
        return this.answer(`${event.scope}!rollback`, event);
      case 'ask-end':
      case 'complete':
      case 'abort':
      case 'spawn-end':
      case 'sleep-end':
        return this.answer(event.id, event);
      case 'wait-end': {
        const bang = event.id.indexOf('!');
        if (bang === -1) return this.answer(event.id, event);
        const owner = this.open.get(event.id.slice(0, bang));
        if (owner === undefined) return this.nobodyAsked(event.id, event.type);
        owner.subs.set(event.id, event);
        owner.subWaiters.get(event.id)?.(event);
        return;
      }
      default:
        throw new FlyballError('JOURNAL_CORRUPT', `An entry of type ${event.type} cannot be delivered.`);
    }
  }

  private answer(id: EffectId, event: EndEvent | EventOf<'rollback-end'>): void {
    const pending = this.open.get(id);
    if (pending === undefined) return this.nobodyAsked(id, event.type);
    this.open.delete(id);
    pending.scope.open--;
    this.settle(pending, event);
    if (event.type !== 'rollback-end') pending.learn?.(event);
    if (pending.closedBy === undefined) pending.answer(event);
    if (pending.intended) for (const waiter of this.intentWaiters.splice(0)) waiter();
  }

  private settle(pending: Pending, event: EndEvent | EventOf<'rollback-end'>): void {
    const ledger = pending.scope.ledger;
    if ('spent' in event && pending.reserved !== undefined) ledger.settle(pending.reserved, event.spent ?? {});
    else if (pending.reserved !== undefined) ledger.release(pending.reserved);
    pending.reserved = undefined;
    this.warn(ledger);
    if (pending.kind === 'call' && (event.type === 'complete' || event.type === 'abort')) this.meter(pending, event);
  }

  private meter(pending: Pending, event: EventOf<'complete' | 'abort'>): void {
    const result = event.type === 'complete' ? event.result : event.failure.message;
    const stale = pending.scope.meter.record(pending.fp, contentId(JSON.stringify(result) ?? ''));
    const limit = pending.scope.ledger.limits.noProgress;
    if (stale >= limit && this.live) {
      this.trip({ node: pending.scope.ledger.path, bound: 'noProgress', limit, spent: stale, wanted: 1 });
    }
  }

  private nobodyAsked(id: EffectId, what: string): void {
    if (this.isClosed(id)) return; // it ended just before its scope was closed: its answer has no reader any more
    this.fail(new ReplayDivergedError({ id, recorded: `the end of an effect (${what})`, asked: 'nothing there' }));
  }

  private diverges(pending: Pending): boolean {
    const start = this.recorded.starts.get(pending.id)?.[0]?.event;
    const end = this.recorded.ends.get(pending.id)?.event;
    const recordedFp = start?.fp ?? (end !== undefined && 'fp' in end ? end.fp : undefined);
    if (recordedFp === undefined || recordedFp === pending.fp) return false;
    const named = [start, end].find((event) => event !== undefined && 'name' in event && event.name !== undefined);
    const name = named !== undefined && 'name' in named ? ` "${named.name ?? ''}"` : '';
    this.fail(
      new ReplayDivergedError({
        id: pending.id,
        recorded: `${start?.type ?? end?.type}${name} with fingerprint ${recordedFp}`,
        asked: `${pending.kind} with fingerprint ${pending.fp}`,
      }),
    );
    return true;
  }

  /** At the end of history every recorded start must have been asked for again: an open INTENT is never forgotten. */
  private unclaimedStart(): ReplayDivergedError | undefined {
    for (const [id, starts] of this.recorded.starts) {
      if (id.endsWith('!undo') || this.recorded.ends.has(id)) continue;
      const bang = id.indexOf('!');
      const base = bang === -1 ? id : id.slice(0, bang);
      if (this.open.has(base) || this.recorded.ends.has(base)) continue;
      if (this.isClosed(base)) continue;
      const event = starts[0]?.event;
      return new ReplayDivergedError({ id, recorded: `the start of an effect (${event?.type})`, asked: 'nothing there' });
    }
    return undefined;
  }

  private isClosed(id: EffectId): boolean {
    const path = id.slice(0, id.indexOf('#'));
    return this.scopes.get(path)?.closedReason() !== undefined;
  }

  // --- turns: what happens when nothing is in line -------------------------------------------------------------------

  private afterTurn(): void {
    if (this.settlement !== undefined) {
      if (!this.finishing) {
        this.finishing = true;
        finish(this, this.settlement).catch((error: unknown) => this.fail(error));
      }
      if (this.allWaiting()) this.scheduleSuspension();
      return;
    }
    const leaves = [...this.open.values()].filter((pending) => isLeaf(pending) && pending.closedBy === undefined);
    if (this.pausing !== undefined && !leaves.some((pending) => pending.phase === 'running')) return this.pause(this.pausing);
    if (leaves.length === 0 && ![...this.open.values()].some((pending) => pending.kind === 'rollback')) return this.suspectForeignAwait();
    if (this.allWaiting()) this.scheduleSuspension();
  }

  private allWaiting(): boolean {
    let waiting = 0;
    for (const pending of this.open.values()) {
      if (pending.kind === 'spawn') continue;
      if (pending.phase !== 'waiting') return false;
      if (isLeaf(pending)) waiting++;
    }
    return waiting > 0 && this.queue.length === 0;
  }

  /** The code waits for something that is not an effect: a raw fetch or timer, which no replay could repeat. */
  private suspectForeignAwait(): void {
    if (this.quietTurns++ < this.host.options.foreignTurns) return this.kick();
    this.settlement = {
      closedBy: this.cancelledBy ?? this.root.closedBy,
      error: new FlyballError(
        'FOREIGN_AWAIT',
        'The agent waits for something that did not go through `run` (a raw fetch, timer or file access). Wrap it in run.step(…).',
      ),
    };
    this.kick();
  }

  private scheduleSuspension(): void {
    this.pauseClock();
    if (this.cancelTimers.has('suspend')) return;
    this.timer('suspend', this.host.options.suspendAfterMs, () => {
      if (this.allWaiting()) this.suspend();
    });
  }

  /** Unloads the run: the journal has everything, so this life can simply be forgotten. */
  suspend(): void {
    if (this.dead || !this.allWaiting()) return;
    const waiting = this.waiting();
    this.writer.flush().then(
      async () => {
        if (this.dead || !this.allWaiting() || this.writer.hasUnwritten) return;
        const dues = waiting.flatMap((item) => (item.until === undefined ? [] : [item.until]));
        if (this.root.ledger.limits.deadline !== undefined) dues.push(this.root.ledger.limits.deadline);
        this.unload();
        await this.host.release(this, {
          status: 'suspended',
          ...(dues.length > 0 ? { wakeAt: Math.min(...dues) } : {}),
          waiting: waiting.filter((item) => item.kind !== 'sleep').map((item) => item.name),
          now: this.host.clock.now(),
        });
        this.host.ended(this, { stop: 'suspended', waiting, usage: { ...this.root.ledger.spent } });
      },
      (error: unknown) => this.fail(error),
    );
  }

  private pause(message: StoredMessage): void {
    if (this.finishing) return;
    this.finishing = true;
    this.push({ type: 'run-pause', by: message.from });
    this.writer.take(message.number);
    const waiting = this.waiting();
    this.writer.flush().then(
      async () => {
        this.unload();
        await this.host.release(this, { status: 'paused', now: this.host.clock.now() });
        this.host.ended(this, { stop: 'suspended', waiting, paused: true, usage: { ...this.root.ledger.spent } });
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** Stops at the next safe point and gives the run back, for another process to go on with. */
  giveBack(): Promise<void> {
    return new Promise((resolve) => {
      const leave = (): void => {
        if (this.dead) return resolve();
        if ([...this.open.values()].some((pending) => isLeaf(pending) && pending.phase === 'running')) {
          setImmediate(leave);
          return;
        }
        this.writer.flush().then(
          () => {
            this.unload();
            this.host.release(this, { status: 'pending', now: this.host.clock.now() }).then(resolve, () => resolve());
          },
          () => resolve(),
        );
      };
      this.stopping = true;
      leave();
    });
  }
  private stopping = false;

  requestPause(message: StoredMessage): void {
    this.pausing = message;
    this.kick();
  }

  /** Someone resumed the run: a pause that had not taken effect is forgotten. */
  letGoOn(by: string): void {
    if (this.pausing !== undefined) this.writer.take(this.pausing.number);
    this.pausing = undefined;
    this.push({ type: 'run-resume', by });
    for (const pending of this.held.splice(0)) this.beginHeld(pending);
    this.kick();
  }

  requestCancel(by: string, why: string): void {
    if (this.settlement !== undefined || this.root.closedBy !== undefined) return;
    this.resumeClock();
    this.record({ type: 'cancel', by, why });
  }

  seamContext(): { readonly runId: string; readonly tenant: string; readonly subject: string } {
    return { runId: this.runId, tenant: this.claim.record.tenant, subject: this.claim.record.subject };
  }

  waiting(): Waiting[] {
    return [...this.open.values()].flatMap((pending) => this.inbox.waitingOf(pending));
  }

  /** Resolves when no INTENT is open below `path`. */
  async intentsEnded(path: string): Promise<void> {
    while ([...this.open.values()].some((pending) => pending.intended && isUnder(pending.id, path))) {
      await new Promise<void>((resolve) => this.intentWaiters.push(resolve));
    }
  }

  // --- time ----------------------------------------------------------------------------------------------------------

  activeMs(): number {
    return this.activeBase + (this.activeSince === undefined ? 0 : this.host.clock.now() - this.activeSince);
  }

  resumeClock(): void {
    this.clearTimer('suspend');
    if (this.activeSince !== undefined || this.dead || !this.started) return;
    this.activeSince = this.host.clock.now();
    this.armTimeBound();
  }

  private pauseClock(): void {
    this.activeBase = this.activeMs();
    this.activeSince = undefined;
    this.armTimeBound();
  }

  /** One timer for whichever time bound comes first; active time only runs while something is in flight. */
  private armTimeBound(): void {
    this.clearTimer('bound');
    const { wallMs, deadline } = this.root.ledger.limits;
    const now = this.host.clock.now();
    const left = [this.activeSince === undefined ? Number.POSITIVE_INFINITY : wallMs - this.activeMs(), (deadline ?? Number.POSITIVE_INFINITY) - now];
    const ms = Math.min(...left);
    if (ms === Number.POSITIVE_INFINITY) return;
    this.timer('bound', Math.max(0, ms), () => {
      const refusal = this.root.ledger.outOfTime(this.activeMs(), this.host.clock.now());
      if (refusal === undefined) this.armTimeBound();
      else if (this.live) this.trip(refusal);
    });
  }

  timer(name: string, ms: number, callback: () => void): void {
    this.clearTimer(name);
    const reach = Math.min(ms, MAX_TIMER_MS);
    const cancel = this.host.clock.after(reach, () => {
      this.cancelTimers.delete(name);
      if (this.dead) return;
      if (reach < ms) this.timer(name, ms - reach, callback);
      else callback();
    });
    this.cancelTimers.set(name, cancel);
  }

  clearTimer(name: string): void {
    this.cancelTimers.get(name)?.();
    this.cancelTimers.delete(name);
  }

  // --- ends ----------------------------------------------------------------------------------------------------------

  /** This life cannot go on. The run itself is untouched: what is durable can be resumed. */
  fail(error: unknown): void {
    if (this.dead) return;
    this.unload();
    for (const pending of this.open.values()) pending.onAbort?.(error instanceof Error ? error : new Error(String(error)));
    this.host.broke(this, error);
  }

  unload(): void {
    this.dead = true;
    for (const cancel of this.cancelTimers.values()) cancel();
    this.cancelTimers.clear();
    this.inbox.close();
  }

  // --- what is told but not replayed -----------------------------------------------------------------------------------

  // --- rollback ------------------------------------------------------------------------------------------------------

  private readonly undone = new Map<EffectId, EventOf<'complete' | 'abort'>>();

  /** Entries of a rollback are not delivered: they answer only the rollback itself. */
  pushUndo(event: EventOf<'intent' | 'complete' | 'abort'>): void {
    this.push(event);
    if (event.type !== 'intent') this.undone.set(event.id, event);
  }

  undoEnd(id: EffectId): EventOf<'complete' | 'abort'> | undefined {
    const recorded = this.recorded.ends.get(id)?.event;
    return this.undone.get(id) ?? (recorded?.type === 'complete' || recorded?.type === 'abort' ? recorded : undefined);
  }

  /** Undone by the rollback of a losing branch: the rollback of the whole run has nothing to do there. */
  isUndoneElsewhere(entry: SagaEntry, path: string): boolean {
    return path === '' && this.losers().some((scope) => isUnder(entry.effect, scope));
  }

  private losers(): string[] {
    return [...this.recorded.rollbacks, ...this.rolledBack].filter((scope) => scope !== '');
  }
  readonly rolledBack = new Set<string>();

  /** Something below `path` was ever intended, in this run or in the one it was forked from. */
  hasActed(path: string): boolean {
    const below = (id: EffectId): boolean => isUnder(id, path);
    return [...this.recorded.intended].some(below) || [...this.intents.keys()].some(below);
  }

  rollbackAnnounced(path: string): boolean {
    return this.recorded.rollbackStarts.has(path);
  }

  async intentOf(entry: SagaEntry): Promise<EventOf<'intent'> | undefined> {
    if (entry.generation === this.generation) return this.intents.get(entry.effect);
    return this.host.intentOf(this, entry);
  }

  inEffect<T>(body: () => Promise<T>): Promise<T> {
    return effectContext.run({ attempt: this, inEffect: true, host: false }, body);
  }

  note(path: string, event: EventOf<'note'>['event']): void {
    if (this.dead) return;
    if (this.notes++ < this.recorded.notes) return; // told in an earlier life
    this.push({ type: 'note', path, event });
    this.flushSoon();
  }

  changed(id: string): boolean {
    if (this.recorded.changedIds.has(id) || this.changedHere.has(id)) return true;
    if (this.oldHistory(id)) return false;
    this.changedHere.add(id);
    this.push({ type: 'changed', id });
    return true;
  }

  private readonly changedHere = new Set<string>();
  private readonly unchanged = new Set<string>();

  /** Still answered from entries that an older version wrote? Then the old branch is kept, for good. */
  private oldHistory(id: string): boolean {
    if (this.unchanged.has(id)) return true;
    const old = !this.live && (this.cursor < this.recorded.deliveries.length || this.unclaimedStart() !== undefined);
    if (old) this.unchanged.add(id);
    return old;
  }

  private noteOverlap(scope: Scope): void {
    if (scope.open === 0 || this.cursor < this.recorded.deliveries.length || this.overlapped.has(scope.path) || this.recorded.overlaps.has(scope.path)) return;
    this.overlapped.add(scope.path);
    this.push({ type: 'scope-overlap', path: scope.path });
  }
  private readonly overlapped = new Set<string>();

  usage(): Amounts {
    return { ...NOTHING, ...this.root.ledger.spent };
  }
}

/** What a fork has from its parent. */
export interface Lineage {
  /** The run at the root of all forks: what random numbers are seeded by. */
  readonly originId: string;
  readonly fork?: {
    readonly live: boolean;
    /** Completions of the parent after the fork point, by effect. */
    readonly later: ReadonlyMap<EffectId, { readonly fp: string; readonly end: EventOf<'complete'> }>;
  };
}

function isApproval(payload: unknown): boolean {
  return (payload as { verdict?: unknown } | undefined)?.verdict === 'approve';
}

/** Node's timers overflow past this and would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
