import type { Claim } from '../ports/engine.js';
import { Admission } from './admission.js';
import { Books } from './books.js';
import { Delivery } from './delivery.js';
import { EffectsUnderWay } from './effects-under-way.js';
import { Guards } from './guards.js';
import type { AttemptHost } from './host.js';
import { Inbox } from './inbox.js';
import { Journal } from './journal.js';
import type { Lineage } from './lineage.js';
import type { Recorded } from './recorded.js';
import type { RunClock } from './run-clock.js';
import { RunLife } from './run-life.js';

/** Which run lives, from what it begins, and on what it lives. */
export interface AttemptParts {
  readonly host: AttemptHost;
  readonly clock: RunClock;
  readonly claim: Claim;
  readonly recorded: Recorded;
  readonly generation: number;
  readonly lineage: Lineage;
  /** How long earlier lives were at work. */
  readonly workedMs: number;
  /**
   * Replays only to learn from the past: makes no effect and writes nothing. `deep`: the code of finished children runs
   * too, otherwise their outcomes answer for them.
   */
  readonly harvest?: { readonly deep: boolean };
}

/**
 * One life of a run in one process: runs the agent from the top, answers what the journal holds, then goes on live.
 *
 * It is made of three parts, and each of their fields is written by its owner only; the invariants are numbered there.
 * - Delivery: what the code is given, history first (`delivery`), and what is written meanwhile (`journal`, `inbox`).
 * - Admission: what may start and when (`admission`), within the budget (`books`) and the guards (`guards`), until it has
 *   ended (`effects`).
 * - Life: the run starts, rests, is cancelled and ends (`life`); see also finish.ts, rollback.ts and resting.ts.
 */
export class Attempt {
  readonly host: AttemptHost;
  readonly clock: RunClock;
  readonly claim: Claim;
  readonly runId: string;
  readonly recorded: Recorded;
  readonly generation: number;
  readonly lineage: Lineage;
  readonly harvest: { readonly deep: boolean } | undefined;

  readonly journal: Journal;
  readonly books: Books;
  readonly guards: Guards;
  readonly life: RunLife;
  readonly effects: EffectsUnderWay;
  readonly admission: Admission;
  readonly delivery: Delivery;
  readonly inbox: Inbox;

  constructor(parts: AttemptParts) {
    this.host = parts.host;
    this.clock = parts.clock;
    this.claim = parts.claim;
    this.runId = parts.claim.runId;
    this.recorded = parts.recorded;
    this.generation = parts.generation;
    this.lineage = parts.lineage;
    this.harvest = parts.harvest;
    this.journal = new Journal(this);
    this.books = new Books(this);
    this.guards = new Guards(this);
    this.life = new RunLife(this, parts.workedMs);
    this.effects = new EffectsUnderWay(this);
    this.admission = new Admission(this);
    this.delivery = new Delivery(this);
    this.inbox = new Inbox(this);
  }
}
