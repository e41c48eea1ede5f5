import {
  alreadyTerminal,
  claimerGone,
  cursorNumber,
  heldByAnother,
  notEnded,
  positionTaken,
  runExists,
  runNotFound,
} from '../../core/engine-errors.js';
import type { Operation } from '../../core/operations.js';
import { workedUnseen } from '../../core/unseen-work.js';
import type {
  Claim,
  ClaimRequest,
  NewRun,
  Rest,
  RunFilter,
  RunPage,
  RunRecord,
  SignOfLife,
  WholeRun,
} from '../../ports/engine.js';
import { outOfOrder } from '../../ports/out-of-order.js';
import type { Database, SqlValue } from './database.js';
import { EntryChain, type Tip, tipOf } from './entry-chain.js';
import type { Fences } from './fences.js';
import type { Journal } from './journal.js';
import type { Operations } from './operations.js';
import { integer, text } from './row.js';
import { isOver, isSound, ownerOf, RUN_COLUMNS, RunRows, recordOf, TERMINAL } from './run-rows.js';
import type { TailGuard } from './tail-guard.js';

/** Above every number that a run has had, also one that was removed. */
const NEXT_RUN = `1 + max(ifnull((SELECT max(n) FROM runs), 0), ifnull((SELECT value FROM flyball_meta WHERE key = 'runs'), 0))`;

/** Before anything of the run is written. */
function refuseMisplaced({ id, first: { entries } }: NewRun): void {
  const [first] = entries;
  const misplaced = first !== undefined && first.seq !== 0 ? first : outOfOrder(entries);
  if (misplaced !== undefined) throw positionTaken(id, misplaced, 'does not follow the one before it');
}

/** The runs' own rows: who holds them and how they rest. The fence moves with every claim and every release. */
export class Runs {
  private readonly database: Database;
  private readonly guard: TailGuard;
  private readonly fences: Fences;
  private readonly journal: Journal;
  private readonly rows: RunRows;
  private readonly chain: EntryChain;
  private readonly operations: Operations;

  constructor(
    file: { readonly database: Database; readonly guard: TailGuard },
    fences: Fences,
    journal: Journal,
    operations: Operations,
  ) {
    this.operations = operations;
    this.database = file.database;
    this.guard = file.guard;
    this.fences = fences;
    this.journal = journal;
    this.rows = new RunRows(file.database);
    this.chain = new EntryChain(file.database);
  }

  create(run: NewRun): void {
    if (this.rows.numberOf(run.id) !== undefined || this.operations.isRemoved(run.id)) throw runExists(run.id);
    this.refuseOrphan(run);
    this.insert(run);
  }

  restore({ record, entries, blobs, links }: WholeRun, operation: Operation): void {
    const { id, status, updatedAt, generation, activeMs, code } = record;
    if (!TERMINAL.has(status)) throw notEnded(record);
    if (this.rows.numberOf(id) !== undefined || this.operations.isForGood(id)) throw runExists(id);
    this.refuseOrphan(record);
    const n = this.insert({ ...record, first: { entries, blobs, links } });
    this.rows.change(n, () =>
      this.database.run(
        'UPDATE runs SET status = ?, updated_at = ?, generation = ?, active = ?, code = ? WHERE n = ?',
        status,
        updatedAt,
        generation,
        activeMs,
        code ?? null,
        n,
      ),
    );
    this.operations.add(operation);
  }

  /** A fork reads what is in the journal of its parent: it is refused where its tenant has no such run. */
  private refuseOrphan({ fork, tenant }: Pick<NewRun, 'fork' | 'tenant'>): void {
    if (fork !== undefined && text(this.rows.known(fork.run), 'tenant') !== tenant) throw runNotFound(fork.run);
  }

  private insert(run: NewRun): number {
    refuseMisplaced(run);
    this.database.run('INSERT INTO tenants (name) VALUES (?) ON CONFLICT (name) DO NOTHING', run.tenant);
    const { lastInsertRowid } = this.database.run(
      `INSERT INTO runs (n, id, agent, version, tenant, subject, source, fork, created_at, updated_at, status, generation)
       VALUES (${NEXT_RUN}, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 'pending', ?9)`,
      run.id,
      run.agent,
      run.version,
      run.tenant,
      run.subject,
      run.source ?? null,
      run.fork === undefined ? null : JSON.stringify(run.fork),
      run.createdAt,
      run.first.generation ?? run.first.entries[0]?.generation ?? 0,
    );
    this.guard.note('runs', lastInsertRowid);
    this.journal.write({ runId: run.id, fence: 0 }, run.first);
    this.keepTip(lastInsertRowid, { runId: run.id, fence: 0 });
    this.rows.seal(lastInsertRowid);
    this.fences.forget(run.id); // nobody holds it yet
    return lastInsertRowid;
  }

  claim(runId: string, by: ClaimRequest): Claim {
    const row = this.rows.known(runId);
    if (isOver(row)) throw alreadyTerminal(recordOf(row));
    if (this.operations.isDeclaredGone(by.owner.id)) throw claimerGone(runId, by.owner);
    const owner = ownerOf(row);
    if (owner !== undefined && integer(row, 'lease_until') > by.now && !by.isGone(owner)) {
      throw heldByAnother(runId, owner, integer(row, 'lease_until'));
    }
    this.fences.forget(runId);
    const n = integer(row, 'n');
    this.database.run(
      `UPDATE runs SET status = 'running', fence = fence + 1, owner = ?1, lease_until = ?2, alive_at = ?3, updated_at = ?3, wake_at = NULL,
       waiting = '[]', attention = NULL, code = NULL, signalled = 0, crashes = crashes + (owner IS NOT NULL), active = active + ?5 WHERE n = ?4`,
      JSON.stringify(by.owner),
      by.now + by.leaseMs,
      by.now,
      n,
      owner === undefined ? 0 : workedUnseen(integer(row, 'alive_at'), by),
    );
    this.moveTip(n, tipOf(row));
    const claimed = this.rows.seal(n); // it was sound when it was read, in this very transaction
    if (claimed === undefined) throw runNotFound(runId);
    return {
      runId,
      fence: integer(claimed, 'fence'),
      record: recordOf(claimed),
      was: recordOf(row).status,
      ...(owner === undefined ? {} : { previous: owner }),
    };
  }

  /** Its leases are over, since then at the latest, and its claims stale. Answers the runs it held. */
  leaseOver(owner: string, at: number): readonly string[] {
    const held = this.database.all(`SELECT ${RUN_COLUMNS} FROM runs WHERE owner IS NOT NULL`);
    const runs = held.filter((row) => isSound(row) && ownerOf(row)?.id === owner);
    for (const row of runs) {
      const n = integer(row, 'n');
      const over = 'UPDATE runs SET lease_until = min(coalesce(lease_until, ?1), ?1), fence = fence + 1 WHERE n = ?2';
      this.rows.change(n, () => this.database.run(over, at, n));
      this.fences.forget(recordOf(row).id);
    }
    return runs.map((row) => recordOf(row).id);
  }

  /** Answers the ids of the stale ones. */
  renew(signs: readonly SignOfLife[], { now, leaseMs }: { readonly now: number; readonly leaseMs: number }) {
    const renewed = 'UPDATE runs SET lease_until = ?, alive_at = ?, active = ? WHERE n = ?';
    return signs.flatMap(({ claim: { runId, fence }, activeMs }) => {
      const row = this.rows.find(runId);
      if (row === undefined || row['fence'] !== fence || !isSound(row)) return [runId];
      const n = integer(row, 'n');
      this.rows.change(n, () => this.database.run(renewed, now + leaseMs, now, activeMs, n));
      return [];
    });
  }

  /** Answers whether others may go on with it at once. */
  release(claim: Claim, rest: Rest): boolean {
    const held = this.fences.held(claim);
    if (held === undefined) return false;
    const isCancelled = rest.unlessCancelled === true && this.isToHearCancel(held.run);
    this.rows.change(held.run, () => {
      this.keepTip(held.run, claim);
      this.database.run(
        `UPDATE runs SET status = ?, fence = fence + 1, owner = NULL, lease_until = NULL, updated_at = ?, wake_at = ?,
         waiting = ?, attention = ?, code = ?, active = coalesce(?, active) WHERE n = ?`,
        rest.status,
        rest.now,
        rest.status === 'suspended' ? (rest.wakeAt ?? null) : null,
        rest.status === 'suspended' ? JSON.stringify(rest.waiting) : '[]',
        rest.status === 'stalled' ? rest.attention : null,
        'code' in rest ? (rest.code ?? null) : null,
        rest.activeMs ?? null,
        held.run,
      );
      if (isCancelled) this.putInLine(held.run);
    });
    this.fences.forget(claim.runId);
    return isCancelled || (rest.status === 'pending' && rest.inLine === true);
  }

  private isToHearCancel(n: number): boolean {
    return (
      this.database.get("SELECT 1 FROM inbox WHERE run = ? AND taken = 0 AND kind = 'cancel' LIMIT 1", n) !== undefined
    );
  }

  /** The row remembers how far the journal came under this claim. Without a new entry it knows better than we do. */
  private keepTip(n: number, claim: Pick<Claim, 'runId' | 'fence'>): void {
    const tip = this.fences.held(claim)?.tip;
    if (tip !== undefined) this.writeTip(n, tip);
  }

  /** What a life that crashed has left is there now. If its predecessor's end is not, the journal is damaged: say nothing newer. */
  private moveTip(n: number, before: Tip | undefined): void {
    const last = before !== undefined && !this.chain.hasTip(n, before) ? undefined : this.chain.last(n);
    if (last !== undefined) this.writeTip(n, last);
  }

  private writeTip(n: number, { generation, seq, checksum }: Tip): void {
    this.database.run('UPDATE runs SET tip_gen = ?, tip_seq = ?, tip = ? WHERE n = ?', generation, seq, checksum, n);
  }

  requeue(runId: string): void {
    const row = this.rows.known(runId);
    if (isOver(row)) throw alreadyTerminal(recordOf(row));
    const n = integer(row, 'n');
    this.rows.change(n, () => this.putInLine(n));
  }

  private putInLine(n: number): void {
    this.database.run(
      `UPDATE runs SET status = 'pending', wake_at = NULL, waiting = '[]', attention = NULL, code = NULL, crashes = 0
       WHERE n = ? AND status IN ('suspended', 'paused', 'bounded', 'stalled')`,
      n,
    );
  }

  get(runId: string): RunRecord | undefined {
    const row = this.rows.find(runId);
    return row === undefined ? undefined : recordOf(row);
  }

  list({ tenant, subject, agent, status, code, before, limit = 100, cursor }: RunFilter): RunPage {
    const wanted: readonly (readonly [condition: string, value: SqlValue | undefined])[] = [
      ['tenant = ?', tenant],
      ['subject = ?', subject],
      ['agent = ?', agent],
      ['status = ?', status],
      ['code = ?', code],
      ['updated_at < ?', before],
      ['n < ?', cursor === undefined ? undefined : cursorNumber(cursor)],
    ];
    const given = wanted.filter(([, value]) => value !== undefined);
    const where = given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`;
    const rows = this.database.all(
      `SELECT ${RUN_COLUMNS} FROM runs ${where} ORDER BY n DESC LIMIT ?`,
      ...given.map(([, value]) => value ?? null),
      limit + 1, // one more tells whether there is a next page
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return { runs: page.map(recordOf), ...(hasMore ? { cursor: String(integer(last, 'n')) } : {}) };
  }
}
