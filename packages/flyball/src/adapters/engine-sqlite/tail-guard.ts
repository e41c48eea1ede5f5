import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { FlyballError } from '../../core/errors.js';
import type { Database } from './database.js';
import { integer } from './row.js';
import {
  COUNTED,
  type Counted,
  NOTHING,
  readTip,
  SLOT_BYTES,
  SLOTS,
  slotOf,
  type Tail,
  TIP_BYTES,
  type Tip,
} from './tip-slots.js';

/**
 * Finds committed records that are gone. SQLite recovers a cut or torn write-ahead log by silently going back to the
 * last commit it can read; beside the database, `<path>.tip` remembers how far it had come.
 *
 * 1. The tip is written after a commit was made durable, so it is never ahead of a sound file.
 * 2. Readers take the tip first and the tables after, so a commit in between raises no alarm.
 * 3. Each connection writes a slot of its own (one of many, at random), starting from what the tables hold: a slow process
 *    cannot set back what another has just written.
 * 4. A slot carries a checksum, and whoever opens a database marks a tip that is blank: one that is damaged, or that is
 *    gone while the log is still there, is told from one that has nothing to say.
 *
 * The tip is not synced: it survives the death of the process, and after a power cut it may be behind, never ahead.
 */
export class TailGuard {
  private readonly file: number;
  private readonly place = Math.floor(Math.random() * SLOTS) * SLOT_BYTES;
  private durable: Tail = NOTHING;
  private pending: Record<Counted, number> = { ...NOTHING };

  /** Creates the file, so that a disk that cannot be written is noticed before the database is touched. */
  constructor(path: string) {
    this.file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    if (fstatSync(this.file).size === 0) ftruncateSync(this.file, TIP_BYTES);
  }

  /** How far the database had come, whoever wrote it. */
  recorded(): Tip {
    return readTip(this.file);
  }

  /** The same of a file that is only read. */
  static read(path: string): Tip {
    const file = openSync(path, 'r');
    try {
      return readTip(file);
    } finally {
      closeSync(file);
    }
  }

  /** Where the tables stand; from here on only commits move it. */
  start(tail: Tail): void {
    this.durable = tail;
    this.pending = { ...tail };
    if (this.recorded().state === 'blank') this.write(NOTHING);
  }

  /** A row was written, in a transaction that is still open. */
  note(counted: Counted, n: number): void {
    this.pending[counted] = n;
  }

  /** The transaction is durable. */
  committed(): void {
    this.durable = { ...this.pending };
    this.write(this.durable);
  }

  rolledBack(): void {
    this.pending = { ...this.durable };
  }

  /** Takes what the database holds for all there is. */
  acceptLoss(found: Tail): void {
    ftruncateSync(this.file, TIP_BYTES);
    const slot = slotOf(found);
    for (let at = 0; at < TIP_BYTES; at += SLOT_BYTES) writeSync(this.file, slot, 0, SLOT_BYTES, at);
  }

  close(): void {
    closeSync(this.file);
  }

  private write(tail: Tail): void {
    try {
      writeSync(this.file, slotOf(tail), 0, SLOT_BYTES, this.place);
    } catch {
      // the commit itself is safe: reporting it as failed would be wrong, and an older tip only guards less
    }
  }
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

const GO_ON = 'run `flyball check --accept-loss`, or open it in code with `acceptLoss: true`';

/** What the tip says is wrong, as an error, or undefined when everything that was confirmed is there. */
export function lossIn(path: string, tip: Tip, found: Tail): FlyballError | undefined {
  return missingRecords(path, tip.tail, found) ?? (tip.state === 'damaged' ? tipDamaged(path) : undefined);
}

function missingRecords(path: string, recorded: Tail, found: Tail): FlyballError | undefined {
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
      `Restore the whole database with its -wal file. To continue without them, ${GO_ON}.`,
    { detail: { path, recorded, found } },
  );
}

function tipDamaged(path: string): FlyballError {
  return new FlyballError(
    'JOURNAL_CORRUPT',
    `${path}.tip is damaged. This file counts what was committed to the database, so that a loss is noticed. The database itself may be sound: \`flyball check\` tells. ` +
      `To continue with what it contains, ${GO_ON}.`,
    { detail: { path, tip: `${path}.tip` } },
  );
}

/** A sentence for whoever has a database with a log and no tip: what the log has lost, if anything, nobody can tell. */
export function unguarded(path: string): string {
  return `${path}.tip is missing, although ${path} was not closed. It counts what was committed, so nobody can tell whether the write-ahead log has lost records. If you copied the database, copy ${path}-wal and ${path}.tip with it.`;
}

export function holdsRecords(tail: Tail): boolean {
  return COUNTED.some((counted) => tail[counted] > 0);
}
