import type { EventOf, RunEvent } from '../core/events.js';
import type { Claim } from '../ports/engine.js';
import { CallsUnderWay } from './calls-under-way.js';
import type { AttemptHost } from './host.js';
import { OpenWaits } from './open-waits.js';
import type { Recorded } from './recorded.js';
import { Saga } from './saga.js';
import type { StateFold } from './state-fold.js';
import { Tellings } from './tellings.js';
import { Writer, type Written } from './writer.js';

/** What the journal needs of the life that writes it. */
export interface JournalOwner {
  readonly host: Pick<AttemptHost, 'engine' | 'options' | 'publish'>;
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
      onDurable: (entries) => host.publish(claim.runId, entries),
    });
  }

  get isSilent(): boolean {
    return this.run.life.isDead || this.run.harvest !== undefined;
  }

  push(event: RunEvent): Written {
    this.announceCalls(event);
    const written = this.writer.push(event);
    this.state.observe(written);
    this.saga.observe(event);
    this.run.recorded.acts.apply({ event, generation: this.run.generation });
    this.openWaits.observe(event);
    return written;
  }

  tell(event: RunEvent): void {
    if (this.isSilent) return;
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
