import { CancelledError } from '../core/errors.js';
import type { EventOf, RunEvent } from '../core/events.js';
import type { Agent, Run } from '../core/run.js';
import type { Claim, StoredMessage } from '../ports/engine.js';
import type { Books } from './books.js';
import { effectContext } from './effect-context.js';
import type { AttemptHost, Settlement } from './host.js';
import type { Journal } from './journal.js';
import type { OpenEffects, Scope } from './open-effects.js';
import type { Recorded } from './recorded.js';
import { ActiveTime, type RunClock, Timers } from './run-clock.js';
import { StuckCode, stuckError } from './stuck-code.js';

/** What the life of a run needs of its other parts. */
export interface LifeOwner {
  readonly runId: string;
  readonly claim: Claim;
  readonly host: AttemptHost;
  readonly clock: RunClock;
  readonly recorded: Recorded;
  readonly journal: Journal;
  readonly books: Books;
  readonly effects: { readonly open: OpenEffects; readonly root: Scope };
  readonly admission: { startHeld(): void; letIn(): void };
  readonly inbox: { close(): void };
  readonly delivery: {
    readonly isLive: boolean;
    readonly onlyWaits: boolean;
    readonly turns: number;
    readonly time: { start(): void };
    kick(): void;
    isAhead(isIt: (event: RunEvent) => boolean): boolean;
    record(event: EventOf<'cancel' | 'redirect' | 'stuck'>): void;
  };
}

/** A cancellation that is in the journal, and who waits for the code to be told. */
interface CancelAsked {
  readonly untilTold: (() => void)[];
}

/**
 * The life of a run in one process: it starts, rests, is paused, cancelled or given back, and ends.
 *
 * 1. The code settles once; what closes the run after that moment no longer changes how it ended.
 * 2. A run on its way out starts nothing: what is in flight ends, and the next life goes on from there.
 * 3. Once dead, no call resolves and no listener or timer of ours is left behind.
 * 4. What ends the code without its word (a foreign await, an uncaught error) is written down, because it is judged by
 *    turns: a later life must come to the same end.
 */
export class RunLife {
  /** Tells this life from every other one. */
  readonly tag = Symbol('life');
  readonly timers: Timers;
  readonly time: ActiveTime;
  readonly stuck: StuckCode;
  /** Messages that ask for a pause. */
  readonly pauses: StoredMessage[] = [];
  private readonly run: LifeOwner;
  private settled: Settlement | undefined;
  private next: { readonly state: unknown } | undefined;
  private wayOut: 'pause' | 'give-back' | undefined;
  private cancellation: CancelAsked | CancelledError | undefined;
  private phase: 'alive' | 'resting' | 'dead' = 'alive';

  /** `workedMs`: how long earlier lives were at work. */
  constructor(run: LifeOwner, workedMs: number) {
    this.run = run;
    this.timers = new Timers(run.clock);
    this.stuck = new StuckCode(run.host.options.foreignTurns, (event) => run.delivery.record(event));
    this.time = new ActiveTime({
      clock: run.clock,
      timers: this.timers,
      ledger: run.books.ledger,
      before: workedMs,
      onBound: (refusal) => run.books.bounds.trip(refusal),
    });
  }

  get isDead(): boolean {
    return this.phase === 'dead';
  }

  /** False once the lease may have passed to someone else: then nothing may touch the world. */
  get holdsLease(): boolean {
    const { host, runId, clock } = this.run;
    return !this.isDead && clock.monotonic() < (host.leases.get(runId) ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * False once others may judge this INTENT: where the lease may have passed to them, or its deadline has, because a
   * dispatcher gives the run to them while the lease lasts. Then only the storage knows whose it is.
   */
  mayBegin({ deadline }: EventOf<'intent'>): boolean {
    return this.holdsLease && this.run.clock.now() < deadline;
  }

  /**
   * A lease that ended while nobody took the run can still be had. Giving up instead would leave an INTENT behind that
   * only a person could judge, though nobody has acted.
   */
  async regainsLease(): Promise<boolean> {
    if (!this.isDead) await this.run.host.renew(this.run);
    return this.holdsLease;
  }

  /** It is about to be given back: nothing new is heard or begun. */
  get isResting(): boolean {
    return this.phase === 'resting';
  }

  /** How the code ended. */
  get settlement(): Settlement | undefined {
    return this.settled;
  }

  /** What the code hands to the next generation. */
  get continuation(): { readonly state: unknown } | undefined {
    return this.next;
  }

  /** It is being paused or given back. */
  get isStopping(): boolean {
    return this.wayOut !== undefined;
  }

  get cancelledBy(): CancelledError | undefined {
    return this.cancellation instanceof CancelledError ? this.cancellation : undefined;
  }

  /** Runs the agent. Whoever started it learns the end through the host. */
  start(agent: Agent<unknown, unknown>, run: Run): void {
    const { books, delivery, effects, host, recorded } = this.run;
    delivery.time.start();
    books.eras.enterAll('start');
    this.time.resume();
    const settle = (how: Pick<Settlement, 'outcome' | 'error'>): void => {
      this.settle({ ...how, closedBy: this.cancelledBy ?? effects.root.closedBy ?? books.bounds.atOnce });
      delivery.kick();
    };
    effectContext.run({ life: this.tag, inEffect: false, host: false }, () => {
      host.aroundAgent(agent, run, recorded.input).then(
        (outcome) => settle({ outcome }),
        (error: unknown) => settle({ error }),
      );
    });
    delivery.kick();
  }

  private settle(how: Settlement): void {
    this.settled ??= how;
  }

  continueWith(state: unknown): void {
    this.next = { state };
  }

  // What people want of it.

  /** False when it comes too late for this life: then the message stays in the inbox. */
  requestCancel(by: string, why: string): boolean {
    if (this.settled !== undefined) return false;
    if (this.cancellation !== undefined) return true;
    this.cancellation = { untilTold: [] };
    this.busy();
    this.run.delivery.record({ type: 'cancel', by, why });
    return true;
  }

  /** A cancellation is in the journal, and the code is about to be told. Nothing may begin after it. */
  get isCancelling(): boolean {
    return this.cancellation !== undefined && !(this.cancellation instanceof CancelledError);
  }

  /** Resolves when a cancellation that is in the journal has closed what is open. */
  whenCancelled(): Promise<void> {
    const { cancellation } = this;
    if (cancellation === undefined || cancellation instanceof CancelledError) return Promise.resolve();
    return new Promise((resolve) => cancellation.untilTold.push(resolve));
  }

  /** The cancellation is delivered: it holds from here on. */
  cancelled(why: string): CancelledError {
    const error = new CancelledError(why);
    const asked = this.cancellation;
    this.cancellation = error;
    if (asked !== undefined && !(asked instanceof CancelledError)) for (const resolve of asked.untilTold) resolve();
    return error;
  }

  /** False when it comes too late for this life: then the message stays in the inbox. */
  redirect(by: string, text: string): boolean {
    if (this.settled !== undefined) return false;
    this.run.delivery.record({ type: 'redirect', by, text });
    return true;
  }

  /** The message stays in the inbox until the run rests: a life that ends before that leaves the wish to the next. */
  requestPause(message: StoredMessage): void {
    if (this.pauses.some(({ number }) => number === message.number)) return;
    this.wayOut ??= 'pause';
    this.pauses.push(message);
    this.run.delivery.kick();
  }

  /** Someone resumed the run: a pause that had not taken effect is forgotten. */
  letGoOn(by: string): void {
    const { journal, admission, delivery } = this.run;
    for (const { number } of this.pauses.splice(0)) journal.writer.take(number);
    if (this.wayOut === 'pause') this.wayOut = undefined;
    journal.push({ type: 'run-resume', by });
    if (delivery.isLive) admission.startHeld();
    delivery.kick();
  }

  /** The process goes: nothing new starts. */
  giveBack(): void {
    this.wayOut ??= 'give-back';
  }

  // Turns in which nothing is in line.

  afterTurn(): void {
    if (this.isResting) return;
    const { host, admission, delivery, effects } = this.run;
    if (this.settled !== undefined) {
      admission.startHeld(); // a pause is for a run that goes on: what this one has begun to undo is seen to its end
      host.settled(this.run);
    } else {
      admission.letIn();
      if (this.wayOut === 'pause' && !effects.open.areActing()) return host.stopped(this.run);
      if (effects.open.cannotMove()) return this.stuck.quietTurn(delivery.turns) ? delivery.kick() : undefined;
    }
    if (delivery.onlyWaits) this.suspendSoon();
  }

  /** Its code left an error that nobody caught. */
  uncaught(error: unknown): void {
    if (this.isDead || this.settled !== undefined) return;
    this.stuck.uncaught(error, () => this.run.delivery.isAhead(({ type }) => type === 'stuck'));
  }

  /** The code cannot go on, as was written down. */
  gotStuck(event: EventOf<'stuck'>): void {
    this.settle({ error: stuckError(event), closedBy: this.cancelledBy ?? this.run.effects.root.closedBy });
  }

  private suspendSoon(): void {
    this.time.pause();
    if (!this.timers.has('suspend'))
      this.timers.set('suspend', this.run.host.options.suspendAfterMs, () => this.run.host.idle(this.run));
  }

  /** Something moves again. */
  busy(): void {
    this.timers.clear('suspend');
    if (!this.isDead) this.time.resume();
  }

  // Ends.

  rest(): void {
    if (!this.isDead) this.phase = 'resting';
  }

  /** This life cannot go on. The run itself is untouched: what is durable can be resumed. */
  fail(error: unknown): void {
    if (this.isDead) return;
    this.unload();
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const pending of this.run.effects.open.all()) pending.onAbort?.(reason);
    this.run.host.broke(this.run, error);
  }

  unload(): void {
    this.phase = 'dead';
    this.timers.clearAll();
    this.run.inbox.close();
  }
}
