import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
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
    const seen = this.look();
    if (seen !== undefined && seen.salt === this.last?.salt && seen.size < this.last.size) this.cut = true;
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

  /** Undefined before the first commit, and where the log is empty or gone, which is not for this to tell. */
  private look(): Seen | undefined {
    if (!existsSync(this.path)) return undefined;
    const file = openSync(this.path, 'r');
    try {
      const { size } = fstatSync(file);
      if (size < HEADER) return undefined;
      const header = Buffer.alloc(HEADER);
      readSync(file, header, 0, HEADER, 0);
      if (!MAGIC.includes(header.readUInt32BE(0))) this.cut = true;
      return { size, salt: header.toString('hex', 16, 24) };
    } finally {
      closeSync(file);
    }
  }
}

function wasCut(file: string): FlyballError {
  return new FlyballError(
    'STORAGE_FAILED',
    `${file} was cut while it was open. What was just written may not be readable and was not confirmed. Stop this process and restore the database with its log, or open it with \`acceptLoss: true\` to continue with what is left.`,
    { detail: { file } },
  );
}
