import type { StoredEntry, StoredLink } from 'flyball/adapters/engine-kit';
import { entryDamaged } from 'flyball/internal';
import { texts } from './arrays.js';
import { checksumOf } from './checksum.js';
import type { Desk } from './desk.js';
import type { Row } from './driver.js';
import { runWithMonth } from './months.js';
import { name, restored, restoredOrRaw } from './text.js';

/** Covers its place, so that an entry of another run or place is none. */
export function entryChecksum(runId: string, entry: Omit<StoredEntry, 'body'>, storedBody: string): string {
  return checksumOf(runId, entry.generation, entry.seq, entry.at, entry.activeMs, storedBody);
}

/** Reads entries, contents and prompt links. They are written in lanes. */
export class Journal {
  private readonly desk: Desk;
  private readonly s: string;

  constructor(desk: Desk, schema: string) {
    this.desk = desk;
    this.s = schema;
  }

  /** Throws JOURNAL_CORRUPT with the place of the first entry that is not there, or not as it was written. */
  async read(runId: string, generation: number, from: number, to: number): Promise<readonly StoredEntry[]> {
    const found = await this.desk.rows({
      name: 'read',
      text: `SELECT r.tip_gen, r.tip_seq, e.seq, e.at, e.active, e.body, e.checksum FROM ${this.s}.runs r
        LEFT JOIN LATERAL (SELECT seq, at, active, body, checksum FROM ${this.s}.events
          WHERE (run, month) = ${runWithMonth(this.s)} AND gen = $2 AND seq BETWEEN $3 AND $4) e ON true WHERE r.id = $1 ORDER BY e.seq`,
      values: [name(runId), generation, from, to],
    });
    const [run] = found;
    if (run === undefined) return [];
    const rows = run['seq'] === null ? [] : found;
    const entries = rows.map((row, index) => entryOf(runId, { generation, seq: from + index }, row));
    const next = from + rows.length;
    if (next <= Math.min(lastKnown(run, generation), to))
      throw entryDamaged(runId, { generation, seq: next }, 'missing');
    return entries;
  }

  async blobs(tenant: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (hashes.length === 0) return new Map();
    const rows = await this.desk.rows({
      name: 'blobs',
      text: `SELECT hash, body FROM ${this.s}.blobs WHERE tenant = $1 AND hash = ANY($2::text[])`,
      values: [name(tenant), texts(hashes)],
    });
    const found = new Map(rows.map((row) => [row['hash'] as string, restoredOrRaw(row['body'] as string)]));
    return new Map(hashes.flatMap((hash) => (found.has(hash) ? [[hash, found.get(hash) ?? ''] as const] : [])));
  }

  async links(tenant: string, tip: string): Promise<readonly StoredLink[]> {
    const rows = await this.desk.rows({
      name: 'links',
      text: `WITH RECURSIVE chain AS (
          SELECT id, parent, header, content, blob, 0 AS depth FROM ${this.s}.links WHERE tenant = $1 AND id = $2
          UNION ALL SELECT l.id, l.parent, l.header, l.content, l.blob, c.depth + 1
          FROM chain c JOIN ${this.s}.links l ON l.tenant = $1 AND l.id = c.parent)
        SELECT id, parent, header, content, blob FROM chain ORDER BY depth DESC`,
      values: [name(tenant), tip],
    });
    return rows.map((row) => ({
      id: row['id'] as string,
      parent: (row['parent'] as string | null) ?? undefined,
      header: restoredOrRaw(row['header'] as string),
      ...(row['content'] === null ? {} : { content: restoredOrRaw(row['content'] as string) }),
      ...(row['blob'] === null ? {} : { blob: row['blob'] as string }),
    }));
  }
}

/** The last place of a generation at which an entry has to be: of earlier ones only that there was a first is known. */
function lastKnown(run: Row, generation: number): number {
  if (generation < (run['tip_gen'] as number)) return 0;
  return generation === run['tip_gen'] ? (run['tip_seq'] as number) : -1;
}

function entryOf(runId: string, at: { readonly generation: number; readonly seq: number }, row: Row): StoredEntry {
  if (row['seq'] !== at.seq) throw entryDamaged(runId, at, 'missing');
  const place = { ...at, at: row['at'] as number, activeMs: row['active'] as number };
  const body = row['body'] as string;
  if (entryChecksum(runId, place, body) !== row['checksum']) throw entryDamaged(runId, at, 'changed');
  return { ...place, body: restored(body) };
}
