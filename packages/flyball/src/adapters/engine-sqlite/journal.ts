import { linkDangling, positionTaken, staleClaim } from '../../core/engine-errors.js';
import type { Batch, Claim, RunRecord, StoredEntry, StoredLink } from '../../ports/engine.js';
import { outOfOrder } from '../../ports/out-of-order.js';
import type { Database, Row } from './database.js';
import { EntryChain } from './entry-chain.js';
import type { Fences, Held } from './fences.js';
import { takeMessage } from './inbox-rows.js';
import { asContent, content, expandedText, hashId, shortText, storedId, storedText } from './row.js';
import { RunRows } from './run-rows.js';
import { entryShorthand, headerShorthand } from './shorthand.js';
import { storageError } from './storage-errors.js';
import type { TailGuard } from './tail-guard.js';

/** Entries, contents and prompt links. What is content-addressed may come again and is stored once. */
export class Journal {
  private readonly database: Database;
  private readonly chain: EntryChain;
  private readonly rows: RunRows;
  private readonly fences: Fences;
  private readonly guard: TailGuard;
  private readonly path: string;

  constructor(file: { readonly database: Database; readonly guard: TailGuard }, fences: Fences, path: string) {
    this.database = file.database;
    this.guard = file.guard;
    this.chain = new EntryChain(file.database);
    this.rows = new RunRows(file.database);
    this.fences = fences;
    this.path = path;
  }

  /** Inside a transaction. Throws staleClaim before anything is written. */
  write(claim: Pick<Claim, 'runId' | 'fence'>, batch: Batch): void {
    const { database } = this;
    const held = this.fences.held(claim);
    if (held === undefined) throw staleClaim(claim);
    const misplaced = outOfOrder(batch.entries); // before the first of them is written
    if (misplaced !== undefined) throw positionTaken(claim.runId, misplaced, 'does not follow the one before it');
    const { run, tenant } = held;
    for (const entry of batch.entries) this.writeEntry(claim.runId, held, entry);
    for (const [hash, body] of batch.blobs ?? []) {
      database.run(
        'INSERT INTO blobs (tenant, hash, body) VALUES (?, ?, ?) ON CONFLICT (tenant, hash) DO NOTHING',
        tenant,
        storedId(hash),
        storedText(body),
      );
    }
    for (const link of batch.links ?? []) this.writeLink(tenant, link);
    for (const { token, generation, seq, asked, since } of batch.opened ?? []) {
      database.run(
        `INSERT INTO waits (run, token, gen, seq, asked, since) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (run, token) DO UPDATE SET gen = excluded.gen, seq = excluded.seq`,
        run,
        token,
        generation,
        seq,
        asked ? 1 : 0,
        since,
      );
    }
    for (const token of batch.closed ?? []) database.run('DELETE FROM waits WHERE run = ? AND token = ?', run, token);
    const { generation, version, taken } = batch;
    if (generation !== undefined) {
      this.rows.change(run, () => database.run('UPDATE runs SET generation = ? WHERE n = ?', generation, run));
    }
    if (version !== undefined) {
      this.rows.change(run, () => database.run('UPDATE runs SET version = ? WHERE n = ?', version, run));
    }
    if (taken !== undefined) this.takeMessages(claim.runId, run, taken);
    if (batch.progress === true && held.crashes > 0) {
      this.rows.change(run, () => database.run('UPDATE runs SET crashes = 0 WHERE n = ?', run));
      held.crashes = 0;
    }
  }

  private writeEntry(runId: string, held: Held, entry: StoredEntry): void {
    const { generation, seq, at, activeMs } = entry;
    const body = shortText(entry.body, entryShorthand);
    const before = this.chain.before({ n: held.run, id: runId }, entry, held.tip);
    const checksum = this.chain.checksumOf(runId, entry, body, before);
    const { lastInsertRowid } = this.database.run(
      'INSERT INTO events (run, gen, seq, at, active, body, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      held.run,
      generation,
      seq,
      at,
      activeMs,
      body,
      checksum,
    );
    held.tip = { generation, seq, checksum };
    this.guard.note('events', lastInsertRowid);
  }

  /** What a broken constraint in `write` means: the place of an entry is taken, or a link refers to nothing. */
  refusal({ id: runId, tenant }: Pick<RunRecord, 'id' | 'tenant'>, batch: Batch, cause: unknown): Error {
    const taken = batch.entries.find((entry, index) => this.isTaken(runId, entry, batch.entries.slice(0, index)));
    if (taken !== undefined) return positionTaken(runId, taken);
    const dangling = batch.links?.find((link) => this.isDangling(tenant, link, batch));
    return dangling === undefined ? storageError(cause, this.path) : linkDangling(dangling.id);
  }

  /** Whether this batch was written before under this claim: all of its entries stand there as they are. */
  isWritten(claim: Pick<Claim, 'runId' | 'fence'>, { entries }: Batch): boolean {
    if (entries.length === 0 || this.fences.held(claim) === undefined) return false;
    return entries.every((entry) => {
      const [found] = this.read(claim.runId, entry.generation, entry.seq, entry.seq);
      return found?.body === entry.body && found.at === entry.at && found.activeMs === entry.activeMs;
    });
  }

  read(runId: string, generation: number, from: number, to: number): readonly StoredEntry[] {
    return this.chain.read(runId, { generation, from, to });
  }

  blobs(tenant: string, hashes: readonly string[]): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const hash of hashes) {
      const row = this.database.get(CONTENT, tenant, storedId(hash));
      if (row !== undefined) found.set(hash, content(row, 'body'));
    }
    return found;
  }

  links(tenant: string, tip: string): readonly StoredLink[] {
    const rows = this.database.all(
      `WITH RECURSIVE chain (n, parent, depth) AS (
         SELECT n, parent, 0 FROM links WHERE tenant = ${TENANT} AND id = ?
         UNION ALL SELECT links.n, links.parent, depth + 1 FROM chain JOIN links ON links.n = chain.parent
       )
       SELECT ${asContent('links.id', 'links.header', 'links.content', 'blobs.hash')} FROM chain JOIN links ON links.n = chain.n LEFT JOIN blobs ON blobs.n = links.blob ORDER BY depth DESC`,
      tenant,
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
  private takeMessages(runId: string, run: number, numbers: readonly number[]): void {
    for (const number of numbers) takeMessage(this.database, { runId, run, number });
    const isEmpty = this.database.get('SELECT 1 FROM inbox WHERE run = ? AND taken = 0 LIMIT 1', run) === undefined;
    if (isEmpty)
      this.rows.change(run, () =>
        this.database.run('UPDATE runs SET signalled = 0 WHERE n = ? AND signalled > 0', run),
      );
  }

  private writeLink(tenant: number, { id, parent, header, content: inline, blob }: StoredLink): void {
    // an unknown parent or blob selects null, which the table refuses: a chain never has a hole
    this.database.run(
      `INSERT INTO links (id, parent, header, content, blob, tenant)
       VALUES (?1, CASE WHEN ?2 IS NULL THEN 0 ELSE (SELECT n FROM links WHERE tenant = ?6 AND id = ?2) END, ?3, ?4,
         (SELECT n FROM blobs WHERE tenant = ?6 AND hash = ?5), ?6)
       ON CONFLICT (tenant, id) DO NOTHING`,
      storedId(id),
      parent === undefined ? null : storedId(parent),
      shortText(header, headerShorthand),
      inline === undefined ? null : storedText(inline),
      blob === undefined ? null : storedId(blob),
      tenant,
    );
  }

  private isTaken(runId: string, { generation, seq }: StoredEntry, before: readonly StoredEntry[]): boolean {
    if (before.some((other) => other.generation === generation && other.seq === seq)) return true;
    return this.read(runId, generation, seq, seq).length > 0;
  }

  private isDangling(tenant: string, { parent, blob }: StoredLink, { links = [], blobs = [] }: Batch): boolean {
    const isParentKnown =
      parent === undefined || links.some(({ id }) => id === parent) || this.links(tenant, parent).length > 0;
    if (!isParentKnown) return true;
    return blob !== undefined && !blobs.some(([hash]) => hash === blob) && this.blobs(tenant, [blob]).size === 0;
  }
}

const TENANT = '(SELECT n FROM tenants WHERE name = ?)';
const CONTENT = `SELECT ${asContent('body')} FROM blobs WHERE tenant = ${TENANT} AND hash = ?`;

function linkOf(row: Row, parent: string | undefined): StoredLink {
  return {
    id: hashId(row, 'id'),
    parent,
    header: expandedText(row, 'header', headerShorthand),
    ...(row['content'] === null ? {} : { content: content(row, 'content') }),
    ...(row['hash'] === null ? {} : { blob: hashId(row, 'hash') }),
  };
}
