import type { RunStatus } from 'flyball';
import {
  type HoldChange,
  type Operation,
  type RunCounts,
  runExists,
  runKept,
  runNotFound,
  type StorageSize,
  type Tombstone,
  type WholeRun,
} from 'flyball/adapters/engine-kit';
import { notEnded, refuseChanged } from 'flyball/internal';
import type { LeaseClock } from './clock.js';
import type { Rows } from './connection.js';
import type { Desk } from './desk.js';
import type { Row, Statement } from './driver.js';
import { emptyColumn, isUniqueViolation } from './errors.js';
import { isLeft } from './months.js';
import type { Operations } from './operations.js';
import { birthOf, isOver, ownerOf, recordOf } from './rows.js';
import type { Runs } from './runs.js';
import { name, stored } from './text.js';
import { restores } from './write-statements.js';

/** How long a size that had to be counted holds. */
const COUNT_EVERY_MS = 600_000;

/** What goes, what stays, and how much there is. */
export class Retention {
  private readonly desk: Desk;
  private readonly s: string;
  private readonly clock: LeaseClock;
  private readonly runs: Runs;
  private readonly operations: Operations;
  private counted: { readonly at: number; readonly rows: Promise<Rows> } | undefined;

  constructor(
    desk: Desk,
    schema: string,
    clock: LeaseClock,
    { runs, operations }: { readonly runs: Runs; readonly operations: Operations },
  ) {
    this.desk = desk;
    this.s = schema;
    this.clock = clock;
    this.runs = runs;
    this.operations = operations;
  }

  async hold(runId: string, { hold, by, why, at }: HoldChange): Promise<void> {
    const row = await this.runs.known(runId, 0);
    if ((row['hold'] !== null) === hold) return;
    const reason = why === undefined ? {} : { why };
    await this.operations.record({ at, by, action: hold ? 'hold' : 'release', of: runId, ...reason }, [
      {
        text: `UPDATE ${this.s}.runs SET hold = $2 WHERE id = $1`,
        values: [runId, hold ? stored(JSON.stringify({ by, at, ...reason })) : null],
      },
    ]);
  }

  /** Refused inside the transaction, too, where the run was held, forked or woken, or went on, since it was looked at. */
  async remove(runId: string, operation: Operation & { readonly tombstone: Tombstone }): Promise<void> {
    const { s } = this;
    const { tombstone } = operation;
    await this.refuseKept(runId, tombstone);
    const id = [name(runId)];
    const of = (table: string) => ({ text: `DELETE FROM ${s}.${table} WHERE run = $1`, values: id });
    try {
      await this.operations.record(operation, [
        // first: a fork that is just being made is seen by what comes next
        { text: `SELECT 1 FROM ${s}.runs WHERE id = $1 FOR UPDATE`, values: id },
        {
          text: `UPDATE ${s}.runs r SET status = CASE WHEN r.hold IS NULL AND r.owner IS NULL
              AND r.status NOT IN ('pending', 'running', 'suspended', 'paused') AND r.status = $2 AND r.updated_at = $3::float8
              AND NOT EXISTS (SELECT 1 FROM ${s}.runs f WHERE f.fork_of = r.id AND f.tenant = r.tenant) THEN r.status END WHERE r.id = $1`,
          values: [...id, tombstone.status, tombstone.endedAt],
        },
        // what is erased goes at once, also what it left in an earlier month when it was archived and restored
        operation.action === 'erase' ? of('events') : this.entriesOf(id),
        { text: `DELETE FROM ${s}.runs WHERE id = $1`, values: id },
        ...['inbox', 'waits'].map(of),
      ]);
    } catch (error) {
      if ((error as { readonly cause?: { readonly code?: string } }).cause?.code === '23502')
        await this.refuseKept(runId, tombstone);
      throw error;
    }
  }

  /** Those of a month that is over may stay: nobody finds them without the row of their run, and they go with the month. */
  private entriesOf(id: readonly string[]): Statement {
    return {
      name: 'remove-entries',
      text: `DELETE FROM ${this.s}.events
        WHERE (run, month) = (SELECT r.id, r.month FROM ${this.s}.runs r WHERE r.id = $1 AND NOT (${isLeft(this.s)}))`,
      values: id,
    };
  }

  /** Refused inside the transaction, too, where the run came back or was erased since it was looked at. */
  async restore(run: WholeRun, operation: Operation): Promise<void> {
    const { record, entries } = run;
    if (!isOver(record as unknown as Row)) throw notEnded(record);
    const { id, agent, version, tenant, subject, source, fork, createdAt, updatedAt, status, generation } = record;
    const last = entries.at(-1);
    const text = `INSERT INTO ${this.s}.runs (id, agent, version, tenant, subject, source, fork, fork_of, created_at, updated_at,
        generation, active, code, birth, tip_gen, tip_seq, ticket, status)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9::float8, $10::float8, CASE WHEN $8::text IS NULL
        OR EXISTS (SELECT 1 FROM ${this.s}.runs p WHERE p.id = $8 AND p.tenant = $4) THEN $11::int8 END, $12::float8, $13, $14, $15::int8, $16::int8, '',
        CASE WHEN NOT EXISTS (SELECT 1 FROM ${this.s}.operations WHERE of = $1 AND action IN ('prune', 'erase')) THEN $17 END`;
    const values = [
      ...[id, agent, version, tenant, subject].map(name),
      source === undefined ? null : stored(source),
      fork === undefined ? null : JSON.stringify(fork),
      fork?.run ?? null,
      createdAt,
      updatedAt,
      generation,
      record.activeMs,
      record.code ?? null,
      birthOf(record),
      last?.generation ?? 0,
      last?.seq ?? -1,
      status,
    ];
    // first: what it was forked from cannot go until it is there
    const parent = { text: `SELECT 1 FROM ${this.s}.runs WHERE id = $1 FOR KEY SHARE`, values: [fork?.run ?? null] };
    try {
      // where the month is still the one in which it left, by a clock that was set back, what it left is in the way
      const left = { text: `DELETE FROM ${this.s}.events WHERE run = $1`, values: [name(id)] };
      await this.operations.record(operation, [parent, { text, values }, left, restores(this.s, run)]);
    } catch (error) {
      const { cause } = error as { readonly cause?: unknown };
      if (isUniqueViolation(cause) || emptyColumn(cause) === 'status') throw runExists(id);
      if (emptyColumn(cause) === 'generation' && fork !== undefined) throw runNotFound(fork.run);
      throw error;
    }
  }

  private async refuseKept(runId: string, tombstone: Tombstone): Promise<void> {
    const row = await this.runs.known(runId, 0);
    const record = recordOf(row);
    const { status, hold, tenant } = record;
    if (hold !== undefined) throw runKept(runId, 'held', `${hold.by} has put it under a legal hold`);
    if (!isOver(row) && status !== 'bounded' && status !== 'stalled')
      throw runKept(runId, 'open', `it is ${status}. Cancel it first`);
    const [fork] = await this.desk.rows({
      text: `SELECT id FROM ${this.s}.runs WHERE fork_of = $1 AND tenant = $2 LIMIT 1`,
      values: [runId, tenant],
    });
    if (fork !== undefined) throw runKept(runId, 'forked', `its fork ${String(fork['id'])} needs it`);
    refuseChanged(record, tombstone);
  }

  /**
   * Its leases are over, since now at the latest, and its claims stale. Answers the runs it held. Claims that are under way
   * end first: they do not see yet that their owner is gone, and those that come after them do.
   */
  async declareGone(operation: Operation): Promise<readonly string[]> {
    const { s } = this;
    const isTheirs = (row: Row): boolean => ownerOf(row['owner'] as string)?.id === operation.of;
    const before = await this.desk.rows({ text: `SELECT r.id, r.owner FROM ${s}.runs r WHERE r.owner IS NOT NULL` });
    const [, taken = before] = await this.operations.record(operation, [
      { text: `LOCK TABLE ${s}.runs IN SHARE ROW EXCLUSIVE MODE` },
      {
        // as JSON.stringify writes it: of the text of an owner, nothing but its id reads like that
        text: `UPDATE ${s}.runs r SET lease_until = least(lease_until, ${this.clock.now('$2::float8')}), fence = r.fence + 1
          WHERE r.owner IS NOT NULL AND strpos(r.owner, $1) > 0 RETURNING r.id, r.owner`,
        values: [`"id":${JSON.stringify(operation.of)}`, operation.at],
      },
    ]);
    return taken.filter(isTheirs).map((row) => row['id'] as string);
  }

  async count(): Promise<RunCounts> {
    const { s } = this;
    const [rows = [], waits = [], holds = []] = await this.desk.ask(
      {
        text: `SELECT status, count(*) AS runs FROM ${s}.runs
          WHERE status IN ('pending', 'running', 'suspended', 'paused', 'stalled', 'bounded') GROUP BY status`,
      },
      { text: `SELECT count(*) AS asked, min(since) AS since FROM ${s}.waits WHERE asked` },
      { text: `SELECT count(*) AS held FROM ${s}.runs WHERE hold IS NOT NULL` },
    );
    const since = waits[0]?.['since'] as number | null | undefined;
    return {
      byStatus: Object.fromEntries(rows.map((row) => [row['status'] as RunStatus, row['runs'] as number])),
      asked: (waits[0]?.['asked'] as number | undefined) ?? 0,
      held: (holds[0]?.['held'] as number | undefined) ?? 0,
      ...(since === null || since === undefined ? {} : { oldestAsked: since }),
    };
  }

  async size(): Promise<StorageSize> {
    const measured = await this.tableSizes();
    const [row] = measured ?? (await this.countedBytes());
    return { bytes: (row?.['bytes'] as number | undefined) ?? 0, logBytes: 0, freeBytes: 0 };
  }

  /** Undefined where the database cannot tell. */
  private async tableSizes(): Promise<Rows | undefined> {
    const asked = this.desk.rows({
      text: `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 AS bytes FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`,
      values: [this.s],
    });
    return asked.catch((error: unknown) => {
      if ((error as { readonly cause?: { readonly code?: string } }).cause?.code === '42883') return undefined;
      throw error;
    });
  }

  /** Journals and contents, counted. All of them are read for that, so the answer holds for a while. */
  private countedBytes(): Promise<Rows> {
    const now = performance.now();
    if (this.counted === undefined || now - this.counted.at > COUNT_EVERY_MS) {
      const sum = (table: string) => `(SELECT coalesce(sum(octet_length(body)), 0) FROM ${this.s}.${table})`;
      const text = `SELECT (${sum('events')} + ${sum('blobs')})::float8 AS bytes`;
      this.counted = { at: now, rows: this.desk.rows({ text }) };
    }
    return this.counted.rows;
  }
}
