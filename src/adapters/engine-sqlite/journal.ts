import { linkDangling, positionTaken, staleClaim } from '../../core/engine-errors.js';
import type { Batch, Claim, StoredEntry, StoredLink } from '../../ports/engine.js';
import type { Database, Row } from './database.js';
import type { Fences } from './fences.js';
import { content, expandedText, hashId, integer, shortText, storedId, storedText } from './row.js';
import { entryShorthand, headerShorthand } from './shorthand.js';
import { storageError } from './storage-errors.js';
import type { TailGuard } from './tail-guard.js';

/** Entries, contents and prompt links. What is content-addressed may come again and is stored once. */
export class Journal {
  private readonly database: Database;
  private readonly fences: Fences;
  private readonly guard: TailGuard;
  private readonly path: string;

  constructor(file: { readonly database: Database; readonly guard: TailGuard }, fences: Fences, path: string) {
    this.database = file.database;
    this.guard = file.guard;
    this.fences = fences;
    this.path = path;
  }

  /** Inside a transaction. Throws staleClaim before anything is written. */
  write(claim: Pick<Claim, 'runId' | 'fence'>, batch: Batch): void {
    const { database } = this;
    const run = this.fences.runOf(claim);
    if (run === undefined) throw staleClaim(claim);
    for (const { generation, seq, at, activeMs, body } of batch.entries) {
      const { lastInsertRowid } = database.run(
        'INSERT INTO events (run, gen, seq, at, active, body) VALUES (?, ?, ?, ?, ?, ?)',
        run,
        generation,
        seq,
        at,
        activeMs,
        shortText(body, entryShorthand),
      );
      this.guard.note('events', lastInsertRowid);
    }
    for (const [hash, body] of batch.blobs ?? []) {
      database.run(
        'INSERT INTO blobs (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING',
        storedId(hash),
        storedText(body),
      );
    }
    for (const link of batch.links ?? []) this.writeLink(link);
    for (const { token, generation, seq } of batch.opened ?? []) {
      database.run(
        `INSERT INTO waits (run, token, gen, seq) VALUES (?, ?, ?, ?)
         ON CONFLICT (run, token) DO UPDATE SET gen = excluded.gen, seq = excluded.seq`,
        run,
        token,
        generation,
        seq,
      );
    }
    for (const token of batch.closed ?? []) database.run('DELETE FROM waits WHERE run = ? AND token = ?', run, token);
    if (batch.generation !== undefined) {
      database.run('UPDATE runs SET generation = ? WHERE n = ?', batch.generation, run);
    }
    if (batch.taken !== undefined) this.takeMessages(run, batch.taken);
    // touches no page unless there is something to reset
    if (batch.progress === true) database.run('UPDATE runs SET crashes = 0 WHERE n = ? AND crashes > 0', run);
  }

  /** What a broken constraint in `write` means: the place of an entry is taken, or a link refers to nothing. */
  refusal(runId: string, batch: Batch, cause: unknown): Error {
    const taken = batch.entries.find((entry, index) => this.isTaken(runId, entry, batch.entries.slice(0, index)));
    if (taken !== undefined) return positionTaken(runId, taken);
    const dangling = batch.links?.find((link) => this.isDangling(link, batch));
    return dangling === undefined ? storageError(cause, this.path) : linkDangling(dangling.id);
  }

  read(runId: string, generation: number, from: number, to: number): readonly StoredEntry[] {
    const rows = this.database.all(
      `SELECT seq, at, active, body FROM events
       WHERE run = (SELECT n FROM runs WHERE id = ?) AND gen = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
      runId,
      generation,
      from,
      to,
    );
    return rows.map((row) => ({
      generation,
      seq: integer(row, 'seq'),
      at: integer(row, 'at'),
      activeMs: integer(row, 'active'),
      body: expandedText(row, 'body', entryShorthand),
    }));
  }

  blobs(hashes: readonly string[]): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const hash of hashes) {
      const row = this.database.get('SELECT body FROM blobs WHERE hash = ?', storedId(hash));
      if (row !== undefined) found.set(hash, content(row, 'body'));
    }
    return found;
  }

  links(tip: string): readonly StoredLink[] {
    const rows = this.database.all(
      `WITH RECURSIVE chain (n, parent, depth) AS (
         SELECT n, parent, 0 FROM links WHERE id = ?
         UNION ALL SELECT links.n, links.parent, depth + 1 FROM chain JOIN links ON links.n = chain.parent
       )
       SELECT links.id, links.parent, links.header, links.content, blobs.hash AS blob
       FROM chain JOIN links ON links.n = chain.n LEFT JOIN blobs ON blobs.n = links.blob ORDER BY depth DESC`,
      storedId(tip),
    );
    let parent: string | undefined;
    return rows.map((row) => {
      const link = linkOf(row, parent);
      parent = link.id;
      return link;
    });
  }

  /** A run that has seen all there was has no reason to be woken again. */
  private takeMessages(run: number, numbers: readonly number[]): void {
    for (const n of numbers) this.database.run('UPDATE inbox SET taken = 1 WHERE n = ? AND run = ?', n, run);
    this.database.run(
      `UPDATE runs SET signalled = 0
       WHERE n = ?1 AND signalled > 0 AND NOT EXISTS (SELECT 1 FROM inbox WHERE run = ?1 AND taken = 0)`,
      run,
    );
  }

  private writeLink({ id, parent, header, content: inline, blob }: StoredLink): void {
    // an unknown parent or blob selects null, which the table refuses: a chain never has a hole
    this.database.run(
      `INSERT INTO links (id, parent, header, content, blob)
       VALUES (?1, CASE WHEN ?2 IS NULL THEN 0 ELSE (SELECT n FROM links WHERE id = ?2) END, ?3, ?4, (SELECT n FROM blobs WHERE hash = ?5))
       ON CONFLICT (id) DO NOTHING`,
      storedId(id),
      parent === undefined ? null : storedId(parent),
      shortText(header, headerShorthand),
      inline === undefined ? null : storedText(inline),
      blob === undefined ? null : storedId(blob),
    );
  }

  private isTaken(runId: string, { generation, seq }: StoredEntry, before: readonly StoredEntry[]): boolean {
    if (before.some((other) => other.generation === generation && other.seq === seq)) return true;
    return this.read(runId, generation, seq, seq).length > 0;
  }

  private isDangling({ parent, blob }: StoredLink, { links = [], blobs = [] }: Batch): boolean {
    const isParentKnown =
      parent === undefined || links.some(({ id }) => id === parent) || this.links(parent).length > 0;
    return (
      !isParentKnown || (blob !== undefined && !blobs.some(([hash]) => hash === blob) && this.blobs([blob]).size === 0)
    );
  }
}

function linkOf(row: Row, parent: string | undefined): StoredLink {
  return {
    id: hashId(row, 'id'),
    parent,
    header: expandedText(row, 'header', headerShorthand),
    ...(row['content'] === null ? {} : { content: content(row, 'content') }),
    ...(row['blob'] === null ? {} : { blob: hashId(row, 'blob') }),
  };
}
