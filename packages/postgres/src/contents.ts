import type { Collected } from 'flyball/adapters/engine-kit';
import { texts } from './arrays.js';
import type { Connection, Rows } from './connection.js';
import type { Desk } from './desk.js';
import type { Statement } from './driver.js';
import { servingError } from './errors.js';
import { runWithMonth } from './months.js';
import { restored } from './text.js';

const PAGE = 2_000;
/** What a row takes beside its text, about. */
const ROW_BYTES = 60;

type References = (body: string) => Iterable<string>;
const keyOf = (tenant: unknown, id: unknown): string => `${String(tenant)}\u0000${String(id)}`;

/** What runs refer to, what goes with them, and what nothing refers to any more. */
export class Contents {
  private readonly desk: Desk;
  private readonly s: string;
  private readonly alone: Connection;

  /** `alone` is used by nobody else: a collection holds a transaction open on it. */
  constructor(desk: Desk, schema: string, alone: Connection) {
    this.desk = desk;
    this.s = schema;
    this.alone = alone;
  }

  /**
   * Marks while others write, and sweeps under a lock that keeps new contents out. What was written in between belongs to
   * runs that somebody held or took since: only those are read again under the lock.
   */
  async collect(referencesIn: References): Promise<Collected> {
    const before = await this.standing();
    const marked = new Set<string>();
    for (const [id] of before) await this.mark(id, referencesIn, marked, (statement) => this.desk.rows(statement));
    const swept = this.alone.transaction(async (ask) => {
      await ask({ text: `LOCK TABLE ${this.s}.blobs, ${this.s}.links IN SHARE ROW EXCLUSIVE MODE` });
      for (const [id, standing] of standingOf(await ask(this.runsNow())))
        if (before.get(id) !== standing || standing.endsWith('owned')) await this.mark(id, referencesIn, marked, ask);
      return this.sweep(marked, ask);
    });
    return swept.catch((error: unknown) => {
      throw servingError(error);
    });
  }

  /** Each run with its fence: after a moment in which nobody was writing. */
  private async standing(): Promise<ReadonlyMap<string, string>> {
    const [, rows = []] = await this.desk.ask(
      { text: `LOCK TABLE ${this.s}.blobs, ${this.s}.links IN SHARE ROW EXCLUSIVE MODE` },
      this.runsNow(),
    );
    return standingOf(rows);
  }

  private runsNow(): Statement {
    return { text: `SELECT id, fence, owner IS NOT NULL AS owned FROM ${this.s}.runs` };
  }

  private async mark(
    runId: string,
    referencesIn: References,
    marked: Set<string>,
    ask: (statement: Statement) => Promise<Rows>,
  ): Promise<void> {
    for await (const { tenant, body } of this.entriesOf(runId, ask))
      for (const id of referencesIn(body)) marked.add(keyOf(tenant, id));
  }

  private async *entriesOf(runId: string, ask: (statement: Statement) => Promise<Rows>) {
    for (let [gen, seq] = [-1, -1]; ; ) {
      const rows = await ask({
        name: 'entries',
        text: `SELECT r.tenant, e.gen, e.seq, e.body FROM ${this.s}.runs r JOIN ${this.s}.events e
          ON (e.run, e.month) = ${runWithMonth(this.s)} WHERE r.id = $1 AND (e.gen, e.seq) > ($2, $3) ORDER BY e.gen, e.seq LIMIT ${PAGE}`,
        values: [runId, gen, seq],
      });
      for (const row of rows) yield { tenant: row['tenant'] as string, body: restored(row['body'] as string) };
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      [gen, seq] = [last['gen'] as number, last['seq'] as number];
    }
  }

  private async sweep(marked: Set<string>, ask: (statement: Statement) => Promise<Rows>): Promise<Collected> {
    const links = await ask({ text: `SELECT tenant, id, parent, blob FROM ${this.s}.links` });
    const byKey = new Map(links.map((row) => [keyOf(row['tenant'], row['id']), row]));
    const kept = new Set<string>();
    for (const key of marked)
      for (let at = key, row = byKey.get(at); row !== undefined && !kept.has(at); row = byKey.get(at)) {
        kept.add(at);
        if (row['blob'] !== null) marked.add(keyOf(row['tenant'], row['blob']));
        at = keyOf(row['tenant'], row['parent']);
      }
    const goneLinks = links.filter((row) => !kept.has(keyOf(row['tenant'], row['id'])));
    const blobs = await ask({ text: `SELECT tenant, hash FROM ${this.s}.blobs` });
    const goneBlobs = blobs.filter((row) => !marked.has(keyOf(row['tenant'], row['hash'])));
    await ask(this.deletion('links', 'id', goneLinks));
    await ask(this.deletion('blobs', 'hash', goneBlobs));
    return { contents: goneBlobs.length, links: goneLinks.length };
  }

  private deletion(table: 'links' | 'blobs', key: 'id' | 'hash', rows: Rows): Statement {
    return {
      text: `DELETE FROM ${this.s}.${table} t USING unnest($1::text[], $2::text[]) AS x(tenant, key)
        WHERE t.tenant = x.tenant AND t.${key} = x.key`,
      values: [texts(rows.map((row) => row['tenant'] as string)), texts(rows.map((row) => row[key] as string))],
    };
  }

  /** From the last run to the first: each content counts for the last one that refers to it. */
  async weigh(runIds: readonly string[], referencesIn: References): Promise<ReadonlyMap<string, number>> {
    const seen = new Set<string>();
    const weights = new Map<string, number>();
    for (const runId of runIds.toReversed()) {
      let bytes = 0;
      const referred = new Map<string, Set<string>>();
      for await (const { tenant, body } of this.entriesOf(runId, (statement) => this.desk.rows(statement))) {
        bytes += body.length + ROW_BYTES;
        const ids = referred.get(tenant) ?? new Set();
        for (const id of referencesIn(body)) ids.add(id);
        referred.set(tenant, ids);
      }
      for (const [tenant, ids] of referred) bytes += await this.fresh(tenant, [...ids], seen);
      weights.set(runId, bytes);
    }
    return new Map(runIds.map((id) => [id, weights.get(id) ?? 0]));
  }

  /** Bytes of the contents and chains that were not counted before. */
  private async fresh(tenant: string, ids: readonly string[], seen: Set<string>): Promise<number> {
    const rows = await this.desk.rows({
      text: `WITH RECURSIVE chain AS (
          SELECT id, parent, blob, length(header) + coalesce(length(content), 0) AS bytes
          FROM ${this.s}.links WHERE tenant = $1 AND id = ANY($2::text[])
          UNION SELECT l.id, l.parent, l.blob, length(l.header) + coalesce(length(l.content), 0)
          FROM chain c JOIN ${this.s}.links l ON l.tenant = $1 AND l.id = c.parent)
        SELECT 'link' AS kind, id, bytes FROM chain UNION ALL SELECT 'blob', hash, length(body) FROM ${this.s}.blobs
          WHERE tenant = $1 AND (hash = ANY($2::text[]) OR hash IN (SELECT blob FROM chain))`,
      values: [tenant, texts(ids)],
    });
    let bytes = 0;
    for (const row of rows) {
      const key = keyOf(tenant, `${String(row['kind'])} ${String(row['id'])}`);
      if (seen.has(key)) continue;
      seen.add(key);
      bytes += (row['bytes'] as number) + ROW_BYTES;
    }
    return bytes;
  }
}

function standingOf(rows: Rows): ReadonlyMap<string, string> {
  return new Map(
    rows.map((row) => [row['id'] as string, `${row['fence']} ${row['owned'] === true ? 'owned' : 'free'}`]),
  );
}
