import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { FlyballError } from '../../core/errors.js';
import type { Follower } from './group-commit.js';

const HEADER = 32;
/** The first four bytes of every log, in either byte order of its checksums. */
const MAGIC = [0x377f0682, 0x377f0683];

interface Seen {
  readonly size: number;
  /** Two numbers in the header that change whenever the log begins again. */
  readonly salt: string;
}

/**
 * Notices a write-ahead log that was cut while it is open. SQLite goes on writing behind the gap, and whoever opens the
 * file next finds nothing past it: what is written there must not be confirmed.
 *
 * A log only grows until it begins again, with another salt. Whoever holds the lock of a writer sees it as the last
 * commit left it, or grown, or begun again; empty where another process has put all of it into the database.
 */
export class LogWatch implements Follower {
  private readonly path: string;
  /** Kept open, because every commit looks twice. FileIdentity tells whether it is still the log of this database. */
  private file: number | undefined;
  private readonly header = Buffer.alloc(HEADER);
  private last: Seen | undefined;
  private cut = false;

  constructor(path: string) {
    this.path = `${path}-wal`;
  }

  /** From here on nothing is to be moved from the log into the database. */
  get isCut(): boolean {
    return this.cut;
  }

  begun(): void {
    if (this.last !== undefined && this.size() < this.last.size && this.look()?.salt === this.last.salt)
      this.cut = true;
    if (this.cut) throw wasCut(this.path);
  }

  /** Behind a cut that left nothing, the header is a gap too. */
  written(): void {
    this.last = this.look();
    if (this.cut) throw wasCut(this.path);
  }

  rolledBack(): void {
    // what the log was at the last commit is true all the same
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  /** Undefined before the first commit, and where the log is empty or gone, which is not for this to tell. */
  private look(): Seen | undefined {
    const size = this.size();
    if (size < HEADER || this.file === undefined) return undefined;
    readSync(this.file, this.header, 0, HEADER, 0);
    if (!MAGIC.includes(this.header.readUInt32BE(0))) this.cut = true;
    return { size, salt: this.header.toString('latin1', 16, 24) };
  }

  private size(): number {
    this.file ??= openIfThere(this.path);
    return this.file === undefined ? 0 : fstatSync(this.file).size;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function wasCut(file: string): FlyballError {
  return new FlyballError(
    'STORAGE_FAILED',
    `${file} was cut while it was open. What was just written may not be readable and was not confirmed. Stop this process and restore the database with its log, or open it with \`acceptLoss: true\` to continue with what is left.`,
    { detail: { file } },
  );
}
