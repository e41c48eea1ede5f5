import { entryDamaged, positionTaken } from '../../core/engine-errors.js';
import type { StoredEntry } from '../../ports/engine.js';
import { type Checksum, checksumIn, checksumOf, NO_CHECKSUM } from './checksum.js';
import type { Database, Row, SqlValue } from './database.js';
import { asContent, asNumbers, expandedText, integer, optionalInteger, storedValue } from './row.js';
import { entryShorthand } from './shorthand.js';

/** An entry by its place, and the checksum that stands there. */
export interface Tip {
  readonly generation: number;
  readonly seq: number;
  readonly checksum: Checksum;
}

/**
 * The entries of a run as one chain over all its generations: the checksum of each covers its content, its place, its run
 * and the checksum before it, so that a row that was changed, moved, doubled or lost in the middle is found when it is
 * read. One lost at the end is found by the tip that the row of the run holds.
 */
export class EntryChain {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  checksumOf(runId: string, entry: Omit<StoredEntry, 'body'>, body: SqlValue, before: Checksum): Checksum {
    return checksumOf(before, runId, entry.generation, entry.seq, entry.at, entry.activeMs, body);
  }

  /** The checksum that an entry at this place goes on from. Refuses a place that leaves a gap. */
  before(run: { readonly n: number; readonly id: string }, at: Omit<Tip, 'checksum'>, tip: Tip | undefined): Checksum {
    if (tip !== undefined && follows(at, tip)) return tip.checksum;
    const found = this.previous(run.n, at);
    if (found === undefined && at.seq > 0) throw positionTaken(run.id, at, 'does not follow the last entry');
    return found ?? NO_CHECKSUM;
  }

  /** Checks that the tip, which was there before, is still there. */
  hasTip(run: number, tip: Tip): boolean {
    const row = this.database.get(AT, run, tip.generation, tip.seq);
    return row !== undefined && checksumIn(row, 'checksum') === tip.checksum;
  }

  /** The last entry of a run, whoever wrote it. */
  last(run: number): Tip | undefined {
    const row = this.database.get(LAST, run);
    return row === undefined ? undefined : placeOf(row, integer(row, 'gen'));
  }

  /** Entries of one generation, verified. Throws JOURNAL_CORRUPT with the place of the first that is not as written. */
  read(runId: string, range: { readonly generation: number; readonly from: number; readonly to: number }) {
    const { generation, from, to } = range;
    const run = this.database.get(RUN, runId);
    if (run === undefined) return [];
    const n = integer(run, 'n');
    const rows = this.database.all(ENTRIES, n, generation, from, to);
    const entries: StoredEntry[] = [];
    const tip = this.endOf(n, generation, tipOf(run));
    let before = rows.length === 0 ? NO_CHECKSUM : (this.previous(n, { generation, seq: from }) ?? NO_CHECKSUM);
    for (const [index, row] of rows.entries()) {
      const at = { generation, seq: from + index };
      if (row['seq'] !== at.seq) throw entryDamaged(runId, at, 'missing');
      const [entry, body] = readable(runId, at, () => [entryOf(row, generation), storedValue(row, 'body')] as const);
      const checksum = this.checksumOf(runId, entry, body, before);
      if (checksum !== checksumIn(row, 'checksum')) throw entryDamaged(runId, at, 'changed');
      if (tip?.seq === at.seq && checksum !== tip.checksum) throw entryDamaged(runId, at, 'changed');
      before = checksum;
      entries.push(entry);
    }
    const next = from + rows.length;
    if (tip !== undefined && next <= Math.min(tip.seq, to))
      throw entryDamaged(runId, { generation, seq: next }, 'missing');
    return entries;
  }

  /** An entry of this generation that must be there: the tip, or in an older generation the last one. */
  private endOf(run: number, generation: number, tip: Tip | undefined): Tip | undefined {
    if (tip === undefined || generation >= tip.generation) return tip?.generation === generation ? tip : undefined;
    const row = this.database.get(END_OF_GENERATION, run, generation);
    return row === undefined ? undefined : placeOf(row, generation);
  }

  private previous(run: number, { generation, seq }: Omit<Tip, 'checksum'>): Checksum | undefined {
    const row =
      seq > 0
        ? this.database.get(AT, run, generation, seq - 1)
        : this.database.get(END_OF_GENERATION, run, generation - 1);
    return row === undefined ? undefined : checksumIn(row, 'checksum');
  }
}

const RUN = `SELECT ${asNumbers('n', 'tip_gen', 'tip_seq', 'tip')} FROM runs WHERE id = ?`;
const ENTRIES = `SELECT ${asNumbers('seq', 'at', 'active', 'checksum')}, ${asContent('body')} FROM events
  WHERE run = ? AND gen = ? AND seq BETWEEN ? AND ? ORDER BY events.seq`;
const AT = `SELECT ${asNumbers('checksum')} FROM events WHERE run = ? AND gen = ? AND seq = ?`;
const END_OF_GENERATION = `SELECT ${asNumbers('seq', 'checksum')} FROM events
  WHERE run = ? AND gen = ? ORDER BY events.seq DESC LIMIT 1`;
const LAST = `SELECT ${asNumbers('gen', 'seq', 'checksum')} FROM events
  WHERE run = ? ORDER BY events.gen DESC, events.seq DESC LIMIT 1`;

/** The end of the journal as the row of its run remembers it. */
export function tipOf(row: Row): Tip | undefined {
  const generation = optionalInteger(row, 'tip_gen');
  if (generation === undefined) return undefined;
  return { generation, seq: integer(row, 'tip_seq'), checksum: checksumIn(row, 'tip') };
}

function placeOf(row: Row, generation: number): Tip {
  return { generation, seq: integer(row, 'seq'), checksum: checksumIn(row, 'checksum') };
}

function follows(at: Omit<Tip, 'checksum'>, tip: Tip): boolean {
  if (at.generation === tip.generation) return at.seq === tip.seq + 1;
  return at.generation === tip.generation + 1 && at.seq === 0;
}

function entryOf(row: Row, generation: number): StoredEntry {
  return {
    generation,
    seq: integer(row, 'seq'),
    at: integer(row, 'at'),
    activeMs: integer(row, 'active'),
    body: expandedText(row, 'body', entryShorthand),
  };
}

/** A column that cannot even be read is damage like any other. */
function readable<T>(runId: string, at: Omit<Tip, 'checksum'>, read: () => T): T {
  try {
    return read();
  } catch {
    throw entryDamaged(runId, at, 'changed');
  }
}
