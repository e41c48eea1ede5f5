import type { StoredEntry, StoredLink } from 'flyball/adapters/engine-kit';
import { texts } from './arrays.js';
import type { Desk } from './desk.js';
import { name, restored } from './text.js';

/** Reads entries, contents and prompt links. They are written in lanes. */
export class Journal {
  private readonly desk: Desk;
  private readonly s: string;

  constructor(desk: Desk, schema: string) {
    this.desk = desk;
    this.s = schema;
  }

  async read(runId: string, generation: number, from: number, to: number): Promise<readonly StoredEntry[]> {
    const rows = await this.desk.rows({
      name: 'read',
      text: `SELECT seq, at, active, body FROM ${this.s}.events WHERE run = $1 AND gen = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq`,
      values: [name(runId), generation, from, to],
    });
    return rows.map((row) => ({
      generation,
      seq: row['seq'] as number,
      at: row['at'] as number,
      activeMs: row['active'] as number,
      body: restored(row['body'] as string),
    }));
  }

  async blobs(tenant: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (hashes.length === 0) return new Map();
    const rows = await this.desk.rows({
      name: 'blobs',
      text: `SELECT hash, body FROM ${this.s}.blobs WHERE tenant = $1 AND hash = ANY($2::text[])`,
      values: [name(tenant), texts(hashes)],
    });
    const found = new Map(rows.map((row) => [row['hash'] as string, restored(row['body'] as string)]));
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
      header: restored(row['header'] as string),
      ...(row['content'] === null ? {} : { content: restored(row['content'] as string) }),
      ...(row['blob'] === null ? {} : { blob: row['blob'] as string }),
    }));
  }
}
