import { damagedRecord } from '../../core/damaged-record.js';
import { runDamaged, runNotFound } from '../../core/engine-errors.js';
import type { ForkPoint, Owner } from '../../core/events.js';
import type { RunRecord, RunStatus } from '../../ports/engine.js';
import { type Checksum, checksumIn, checksumOf, NO_CHECKSUM } from './checksum.js';
import { type Database, type Row, type SqlValue, storedBytes } from './database.js';
import { asBytes, asNumbers, integer, json, optionalInteger, optionalText, text } from './row.js';

/** What decides how a run goes on, in the order in which its checksum is taken. */
const NUMBERS = [
  'created_at',
  'updated_at',
  'generation',
  'fence',
  'crashes',
  'lease_until',
  'alive_at',
  'active',
  'wake_at',
  'tip_gen',
  'tip_seq',
  'tip',
  'signalled',
];
const TEXTS = [
  'id',
  'agent',
  'version',
  'tenant',
  'subject',
  'source',
  'fork',
  'status',
  'owner',
  'waiting',
  'attention',
  'code',
  'hold',
];
export const RUN_COLUMNS = `${asNumbers('n', ...NUMBERS, 'checksum')}, ${asBytes(...TEXTS)}`;

/** The rows of runs, each under a checksum of its own. */
export class RunRows {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  find(runId: string): Row | undefined {
    return this.database.get(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`, runId);
  }

  /** The number of a run, without the rest of its row. */
  numberOf(runId: string): number | undefined {
    const row = this.database.get(`SELECT ${asNumbers('n')} FROM runs WHERE id = ?`, runId);
    return row === undefined ? undefined : integer(row, 'n');
  }

  /** Throws RUN_NOT_FOUND, and JOURNAL_CORRUPT for a row that is not what was written. */
  known(runId: string): Row {
    const row = this.find(runId);
    if (row === undefined) throw runNotFound(runId);
    if (!isSound(row)) throw runDamaged(runId, 'The record');
    return row;
  }

  /** Changes a row and puts it under a new checksum. One that is damaged keeps its old one, so that it stays known. */
  change(n: number, update: () => void): void {
    const before = this.byNumber(n);
    update();
    if (before !== undefined && isSound(before)) this.seal(n);
  }

  /** Takes the row as it stands for what was written, and answers it under its new checksum. */
  seal(n: number): Row | undefined {
    const row = this.byNumber(n);
    if (row === undefined) return undefined;
    const checksum = checksumOfRow(row);
    this.database.run('UPDATE runs SET checksum = ? WHERE n = ?', checksum, n);
    return { ...row, checksum };
  }

  private byNumber(n: number): Row | undefined {
    return this.database.get(`SELECT ${RUN_COLUMNS} FROM runs WHERE n = ?`, n);
  }
}

/** False for a row that is not what was written. */
export function isSound(row: Row): boolean {
  return checksumOfRow(row) === checksumIn(row, 'checksum');
}

function checksumOfRow(row: Row): Checksum {
  const numbers = NUMBERS.map((column) => (row[column] ?? null) as SqlValue);
  const texts = TEXTS.map((column) => storedBytes(row[column]) ?? null);
  return checksumOf(NO_CHECKSUM, ...numbers, ...texts);
}

export const TERMINAL: ReadonlySet<string> = new Set<RunStatus>(['done', 'degraded', 'blocked', 'cancelled', 'failed']);

/** `bounded` is not among them: it goes on under a larger budget. */
export function isOver(row: Row): boolean {
  return TERMINAL.has(text(row, 'status'));
}

export function ownerOf(row: Row): Owner | undefined {
  return row['owner'] === null ? undefined : json<Owner>(row, 'owner');
}

/** A damaged row is shown as a run that needs attention, with what can be read of it: a list must not end over it. */
export function recordOf(row: Row): RunRecord {
  return isSound(row) ? soundRecord(row) : damagedIn(row);
}

function soundRecord(row: Row): RunRecord {
  const wakeAt = optionalInteger(row, 'wake_at');
  const leaseUntil = optionalInteger(row, 'lease_until');
  const owner = ownerOf(row);
  const source = optionalText(row, 'source');
  const attention = optionalText(row, 'attention');
  const code = optionalText(row, 'code');
  return {
    id: text(row, 'id'),
    agent: text(row, 'agent'),
    version: text(row, 'version'),
    tenant: text(row, 'tenant'),
    subject: text(row, 'subject'),
    status: text(row, 'status') as RunStatus,
    generation: integer(row, 'generation'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    waiting: json<readonly string[]>(row, 'waiting'),
    crashes: integer(row, 'crashes'),
    activeMs: integer(row, 'active'),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(owner === undefined ? {} : { owner }),
    ...(leaseUntil === undefined ? {} : { leaseUntil }),
    ...(row['fork'] === null ? {} : { fork: json<ForkPoint>(row, 'fork') }),
    ...(source === undefined ? {} : { source }),
    ...(attention === undefined ? {} : { attention }),
    ...(code === undefined ? {} : { code }),
    ...(row['hold'] === null ? {} : { hold: json<NonNullable<RunRecord['hold']>>(row, 'hold') }),
  };
}

function damagedIn(row: Row): RunRecord {
  const words = (column: string): string => storedBytes(row[column])?.toString('utf8') ?? '';
  const amount = (column: string): number => {
    const value = row[column];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  return damagedRecord({
    id: words('id'),
    agent: words('agent'),
    version: words('version'),
    createdAt: amount('created_at'),
    updatedAt: amount('updated_at'),
  });
}
