import { type ByKind, rowsFor } from '../core/by-kind.js';
import type { EventOf, RunEvent } from '../core/events.js';
import { waitChange } from '../core/waits.js';
import type { Claim } from '../ports/engine.js';
import type { AttemptHost } from './host.js';
import { OpenWaits } from './open-waits.js';
import type { Recorded } from './recorded.js';
import { Saga } from './saga.js';
import type { StateFold } from './state-fold.js';
import { Tellings } from './tellings.js';
import { Writer, type Written } from './writer.js';

/** What the journal needs of the life that writes it. */
export interface JournalOwner {
  readonly host: Pick<AttemptHost, 'engine' | 'options' | 'audience' | 'wentOn' | 'versionOf'>;
  readonly clock: { now(): number };
  readonly claim: Claim;
  readonly recorded: Recorded;
  readonly generation: number;
  readonly harvest: object | undefined;
  readonly life: {
    readonly isDead: boolean;
    readonly time: { total(): number };
    readonly timers: { has(name: string): boolean; set(name: string, ms: number, then: () => void): void };
    fail(error: unknown): void;
  };
}

/**
 * The end of a run's journal, where one life of it writes. Part of delivery: what is delivered live comes from here.
 *
 * 1. An entry has its position before anyone acts on it; what acts on the world waits for `barrier`.
 * 2. Every entry is folded once, when it is written, into what the run knows about itself: its state, its acts, what it
 *    has to undo, its waits.
 * 3. A life that is over, or that only rehearses its past, tells nothing.
 */
export class Journal {
  readonly writer: Writer;
  /** What the run knows about itself. */
  readonly state: StateFold;
  readonly saga: Saga;
  readonly openWaits: OpenWaits;
  readonly tellings: Tellings;
  /** Links of prompt chains that the journal already holds. */
  readonly storedLinks = new Set<string>();
  private readonly callsUnderWay = new CallsUnderWay();
  private hasEnded = false;
  private readonly run: JournalOwner;

  constructor(run: JournalOwner) {
    const { host, claim, clock, recorded, generation } = run;
    this.run = run;
    this.state = recorded.state;
    this.saga = new Saga(claim.runId, recorded, generation);
    this.openWaits = new OpenWaits(recorded.openWaits);
    this.tellings = new Tellings(recorded, (event) => this.tell(event));
    this.writer = new Writer({
      engine: host.engine,
      claim,
      generation,
      nextSeq: recorded.nextSeq,
      time: () => ({ at: clock.now(), activeMs: run.life.time.total() }),
      onDurable: (entries) => {
        if (claim.record.crashes > 0) host.wentOn(claim.runId, entries);
        if (host.audience.listeners.size > 0) host.audience.publish(claim.runId, entries);
      },
    });
  }

  get isSilent(): boolean {
    return this.run.life.isDead || this.run.harvest !== undefined;
  }

  /** The last entry is written, though it may not be durable yet: what happens from here on is told to nobody. */
  get isOver(): boolean {
    return this.isSilent || this.hasEnded;
  }

  push(event: RunEvent): Written {
    this.announceCalls(event);
    const written = this.writer.push(event);
    if (event.type === 'run-end' || event.type === 'generation-end') this.hasEnded = true;
    LEARNS[event.type](event as never, this, written); // the type of the table ties each row to its kind
    return written;
  }

  learnsAct(written: Written): void {
    this.run.recorded.acts.apply({ event: written.event, generation: this.run.generation });
  }

  learnsWait(event: EventOf<'wait-start' | 'wait-end' | 'wait-close'>, written: Written): void {
    const change = waitChange(event);
    this.writer.noteWait(written, change);
    this.openWaits.observe(change);
  }

  /** Code that nobody waits for may go on for some turns after the end: what it tells then is told to nobody. */
  tell(event: RunEvent): void {
    if (this.isOver) return;
    this.push(event);
    this.flushSoon();
  }

  /** Makes everything so far durable, or ends this life. Never resolves once it is dead. */
  barrier(): Promise<void> {
    const { life } = this.run;
    if (life.isDead) return never();
    return this.writer.flush().then(
      () => (life.isDead ? never() : undefined),
      (error: unknown) => {
        life.fail(error);
        return never();
      },
    );
  }

  /** Results wait for company, but not for ever. */
  flushSoon(): void {
    const { life, host } = this.run;
    if (life.timers.has('flush')) return;
    life.timers.set('flush', host.options.flushAfterMs, () => {
      this.writer.flush().catch((error: unknown) => life.fail(error));
    });
  }

  /** The body of a pure call is about to run. Its start is written where something else is written meanwhile. */
  callBegins(start: EventOf<'call-start'>): void {
    this.callsUnderWay.begin(start);
  }

  announceCalls(event?: RunEvent): void {
    for (const start of this.callsUnderWay.before(event)) this.writer.push(start);
  }

  /** The code has repeated all of the history, so it fits: whoever goes on later is to be of its version. */
  fits(): void {
    const { host, claim } = this.run;
    this.writer.adopt(host.versionOf(claim.record.agent));
  }

  /** Fixes a value for the whole run; answers the one that stands. */
  pin(name: string, value: unknown): unknown {
    const known = this.state.pinned(name);
    if (known !== undefined) return known.value;
    this.tell({ type: 'pin', name, value });
    return value;
  }
}

/** What an unloaded run's calls return. A new one each time: whoever awaits a shared one would never be collected. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * Pure calls at work that the journal does not know of yet. Nothing is written about one that ends before anything else
 * happens. What else is written could be what cuts it off, so it comes after the call's start: then whoever reads the one
 * knows of the other, also where the process dies in between.
 */
class CallsUnderWay {
  private readonly unknown = new Map<string, EventOf<'call-start'>>();

  begin(start: EventOf<'call-start'>): void {
    this.unknown.set(start.id, start);
  }

  /** What has to be written before this; all of it where nothing is given. */
  before(event?: RunEvent): readonly EventOf<'call-start'>[] {
    if (event?.type === 'complete' || event?.type === 'abort') this.unknown.delete(event.id);
    if (this.unknown.size === 0) return NONE;
    const starts = [...this.unknown.values()];
    this.unknown.clear();
    return starts;
  }
}

const NONE: readonly EventOf<'call-start'>[] = [];

/** What the run learns about itself from an entry that it writes. */
const LEARNS: ByKind<[journal: Journal, written: Written], void> = {
  ...rowsFor(['intent', 'complete', 'abort'], (event, journal: Journal, written: Written) => {
    journal.state.observe(written);
    journal.saga.observe(event);
    journal.learnsAct(written);
  }),
  ...rowsFor(['wait-start', 'wait-end'], (event, journal: Journal, written: Written) => {
    journal.state.observe(written);
    journal.learnsWait(event, written);
  }),
  'wait-close': (event, journal, written) => journal.learnsWait(event, written),
  ...rowsFor(['run-start', 'redirect', 'pin', 'note', 'best'], (_event, journal: Journal, written: Written) =>
    journal.state.observe(written),
  ),
  ...rowsFor(['rollback-start', 'rollback-end'], (event, journal: Journal) => journal.saga.observe(event)),
  'spawn-start': (_event, journal, written) => journal.learnsAct(written),
  ...rowsFor(['generation-start', 'generation-end', 'attempt-start', 'run-resume', 'run-pause', 'run-end'], nothing),
  ...rowsFor(['ask-start', 'ask-end', 'call-start', 'doubt', 'retry', 'slice-change', 'spawn-end'], nothing),
  ...rowsFor(['sleep-start', 'sleep-end', 'post', 'trip', 'cancel', 'stuck', 'changed', 'budget-warning'], nothing),
  ...rowsFor(['scope-start', 'scope-end'], nothing),
  ...rowsFor(['scope-overlap', 'guard-refused', 'guard-decision', 'signal-refused', 'operator-alert'], nothing),
};

function nothing(): void {}
