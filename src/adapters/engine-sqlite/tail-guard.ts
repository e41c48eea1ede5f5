import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { FlyballError } from '../../core/errors.js';
import type { Database } from './database.js';
import { integer } from './row.js';

/**
 * Finds committed records that are gone. SQLite recovers a cut or torn write-ahead log by silently going back to the
 * last commit it can read; beside the database, `<path>.tip` remembers how far it had come.
 *
 * 1. The tip is written after a commit was made durable, so it is never ahead of a sound file.
 * 2. Readers take the tip first and the tables after, so a commit in between raises no alarm.
 * 3. Each connection writes a slot of its own (one of many, at random), starting from what the tables hold: a slow process
 *    cannot set back what another has just written.
 *
 * The tip is not synced: it survives the death of the process, and after a power cut it may be behind, never ahead.
 */
export type Counted = 'events' | 'inbox' | 'runs' | 'records';
export type Tail = Readonly<Record<Counted, number>>;

const COUNTED: readonly Counted[] = ['events', 'inbox', 'runs', 'records'];
const NOTHING: Tail = { events: 0, inbox: 0, runs: 0, records: 0 };
const SLOTS = 64;
const SLOT_BYTES = COUNTED.length * 8;

export class TailGuard {
  private readonly file: number;
  private readonly slot = Buffer.alloc(SLOT_BYTES);
  private readonly place = Math.floor(Math.random() * SLOTS) * SLOT_BYTES;
  private durable: Tail = NOTHING;
  private pending: Record<Counted, number> = { ...NOTHING };

  /** Creates the file, so that a disk that cannot be written is noticed before the database is touched. */
  constructor(path: string) {
    this.file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    if (fstatSync(this.file).size < SLOTS * SLOT_BYTES) ftruncateSync(this.file, SLOTS * SLOT_BYTES);
  }

  /** How far the database had come, whoever wrote it. */
  recorded(): Tail {
    return recordedIn(this.file);
  }

  /** The same of a file that is only read. */
  static read(path: string): Tail {
    const file = openSync(path, 'r');
    try {
      return recordedIn(file);
    } finally {
      closeSync(file);
    }
  }

  /** Where the tables stand; from here on only commits move it. */
  start(tail: Tail): void {
    this.durable = tail;
    this.pending = { ...tail };
  }

  /** A row was written, in a transaction that is still open. */
  note(counted: Counted, n: number): void {
    this.pending[counted] = n;
  }

  /** The transaction is durable. */
  committed(): void {
    this.durable = { ...this.pending };
    this.encode(this.durable);
    try {
      writeSync(this.file, this.slot, 0, SLOT_BYTES, this.place);
    } catch {
      // the commit itself is safe: reporting it as failed would be wrong, and an older tip only guards less
    }
  }

  rolledBack(): void {
    this.pending = { ...this.durable };
  }

  /** Takes what the database holds for all there is. */
  acceptLoss(found: Tail): void {
    this.encode(found);
    for (let slot = 0; slot < SLOTS; slot += 1) writeSync(this.file, this.slot, 0, SLOT_BYTES, slot * SLOT_BYTES);
  }

  close(): void {
    closeSync(this.file);
  }

  private encode(tail: Tail): void {
    COUNTED.forEach((counted, index) => this.slot.writeDoubleLE(tail[counted], index * 8));
  }
}

function recordedIn(file: number): Tail {
  const bytes = Buffer.alloc(SLOTS * SLOT_BYTES);
  readSync(file, bytes, 0, bytes.length, 0);
  const highest: Record<Counted, number> = { ...NOTHING };
  for (let at = 0; at < bytes.length; at += 8) {
    const counted = COUNTED[(at / 8) % COUNTED.length];
    if (counted !== undefined) highest[counted] = Math.max(highest[counted], bytes.readDoubleLE(at));
  }
  return highest;
}

/** How far the tables have come. */
export function tailOf(database: Database): Tail {
  const row = database.get(`SELECT
    CAST((SELECT ifnull(max(pos), 0) FROM events) AS REAL) AS events,
    CAST((SELECT ifnull(max(n), 0) FROM inbox) AS REAL) AS inbox,
    CAST(max((SELECT ifnull(max(n), 0) FROM runs), ifnull((SELECT value FROM flyball_meta WHERE key = 'runs'), 0)) AS REAL) AS runs,
    CAST((SELECT ifnull(max(n), 0) FROM store_versions) AS REAL) AS records`);
  if (row === undefined) return NOTHING;
  return {
    events: integer(row, 'events'),
    inbox: integer(row, 'inbox'),
    runs: integer(row, 'runs'),
    records: integer(row, 'records'),
  };
}

/** The loss as an error, or undefined when everything that was confirmed is there. */
export function missingRecords(path: string, recorded: Tail, found: Tail): FlyballError | undefined {
  const names: Readonly<Record<Counted, string>> = {
    events: 'journal entries',
    inbox: 'messages',
    runs: 'runs',
    records: 'store records',
  };
  const missing = COUNTED.filter((counted) => recorded[counted] > found[counted]);
  if (missing.length === 0) return undefined;
  const lost = missing.map((counted) => `${names[counted]}: ${recorded[counted] - found[counted]}`).join(', ');
  return new FlyballError(
    'JOURNAL_TRUNCATED',
    `${path} has lost records that were committed (${lost}). Its write-ahead log was cut, or an older copy was put in its place. ` +
      'Restore the whole database with its -wal file, or open it with `acceptLoss: true` to go on without them.',
    { detail: { path, recorded, found } },
  );
}
