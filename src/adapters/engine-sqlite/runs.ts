import { alreadyTerminal, heldByAnother, runExists, runNotFound } from '../../core/engine-errors.js';
import type { Claim, ClaimRequest, NewRun, Rest, RunFilter, RunPage, RunRecord } from '../../ports/engine.js';
import type { Database, Row, SqlValue } from './database.js';
import type { Fences } from './fences.js';
import type { Journal } from './journal.js';
import { integer } from './row.js';
import { isOver, ownerOf, RUN_COLUMNS, recordOf } from './run-rows.js';
import type { TailGuard } from './tail-guard.js';

/** The runs' own rows: who holds them and how they rest. The fence moves with every claim and every release. */
export class Runs {
  private readonly database: Database;
  private readonly guard: TailGuard;
  private readonly fences: Fences;
  private readonly journal: Journal;

  constructor(file: { readonly database: Database; readonly guard: TailGuard }, fences: Fences, journal: Journal) {
    this.database = file.database;
    this.guard = file.guard;
    this.fences = fences;
    this.journal = journal;
  }

  create(run: NewRun): void {
    if (this.row(run.id) !== undefined) throw runExists(run.id);
    const { lastInsertRowid } = this.database.run(
      `INSERT INTO runs (id, agent, version, tenant, subject, source, fork, created_at, updated_at, status, generation)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 'pending', ?9)`,
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
    this.fences.forget(run.id); // nobody holds it yet
  }

  claim(runId: string, by: ClaimRequest): Claim {
    const row = this.known(runId);
    if (isOver(row)) throw alreadyTerminal(recordOf(row));
    const previous = ownerOf(row);
    if (previous !== undefined && integer(row, 'lease_until') > by.now && !by.isGone(previous)) {
      throw heldByAnother(runId, previous, integer(row, 'lease_until'));
    }
    this.fences.forget(runId);
    this.database.run(
      `UPDATE runs SET status = 'running', fence = fence + 1, owner = ?, lease_until = ?, updated_at = ?, wake_at = NULL,
       waiting = '[]', attention = NULL, signalled = 0, crashes = crashes + (owner IS NOT NULL) WHERE id = ?`,
      JSON.stringify(by.owner),
      by.leaseUntil,
      by.now,
      runId,
    );
    const claimed = this.known(runId);
    return {
      runId,
      fence: integer(claimed, 'fence'),
      record: recordOf(claimed),
      ...(previous === undefined ? {} : { previous }),
    };
  }

  /** Answers the ids of the stale ones. */
  renew(claims: readonly Claim[], until: number): readonly string[] {
    const renewed = 'UPDATE runs SET lease_until = ? WHERE id = ? AND fence = ?';
    return claims
      .filter(({ runId, fence }) => this.database.run(renewed, until, runId, fence).changes === 0)
      .map(({ runId }) => runId);
  }

  release(claim: Claim, rest: Rest): void {
    this.fences.forget(claim.runId);
    this.database.run(
      `UPDATE runs SET status = ?, fence = fence + 1, owner = NULL, lease_until = NULL, updated_at = ?, wake_at = ?,
       waiting = ?, attention = ? WHERE id = ? AND fence = ?`,
      rest.status,
      rest.now,
      rest.status === 'suspended' ? (rest.wakeAt ?? null) : null,
      rest.status === 'suspended' ? JSON.stringify(rest.waiting) : '[]',
      rest.status === 'stalled' ? rest.attention : null,
      claim.runId,
      claim.fence,
    );
  }

  requeue(runId: string): void {
    const row = this.known(runId);
    if (isOver(row)) throw alreadyTerminal(recordOf(row));
    this.database.run(
      `UPDATE runs SET status = 'pending', wake_at = NULL, waiting = '[]', attention = NULL
       WHERE id = ? AND status IN ('suspended', 'paused', 'bounded', 'stalled')`,
      runId,
    );
  }

  get(runId: string): RunRecord | undefined {
    const row = this.row(runId);
    return row === undefined ? undefined : recordOf(row);
  }

  list({ tenant, subject, agent, status, limit = 100, cursor }: RunFilter): RunPage {
    const wanted: readonly (readonly [condition: string, value: SqlValue | undefined])[] = [
      ['tenant = ?', tenant],
      ['subject = ?', subject],
      ['agent = ?', agent],
      ['status = ?', status],
      ['n < ?', cursor === undefined ? undefined : Number(cursor)],
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

  known(runId: string): Row {
    const row = this.row(runId);
    if (row === undefined) throw runNotFound(runId);
    return row;
  }

  private row(runId: string): Row | undefined {
    return this.database.get(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`, runId);
  }
}
