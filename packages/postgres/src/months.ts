import { Connection, type Hooks, type Rows } from './connection.js';
import type { Desk } from './desk.js';
import { isLost, isTransient } from './errors.js';
import type { Settings } from './options.js';
import { IN_PORTIONS, MONTH } from './schema.js';

const EVERY_MS = 12 * 3_600_000;
/** The current month, and the two after it. */
const AHEAD = 3;
/** Removals that are looked at in one statement: each may have left thousands of entries. */
const PORTION = 100;
/** Everything that reads or writes entries waits meanwhile. */
const WAIT_MS = 1_000;
/** The server makes room by ending a vacuum that stands in the way after a second. */
const VACUUM_WAIT_MS = 2_000;

/**
 * The run `$1` with its month, which `(run, month)` of an entry has to equal. As values that are found first: whatever the
 * plan is, one partition is looked into, and the plan is the same for every run, so that it is kept.
 */
export const runWithMonth = (s: string): string => `(SELECT id, month FROM ${s}.runs WHERE id = $1)`;

/** The partitions of `events`, as `c`. There are none where the database keeps one table. */
const partitions = (s: string): string => `pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace n ON n.oid = p.relnamespace
  WHERE n.nspname = '${s}' AND p.relname = 'events'`;

/** Whether the entries of a run `r` that is pruned or archived stay behind, to go with their month. */
export const isLeft = (s: string): string =>
  `r.month < ${MONTH} AND EXISTS (SELECT 1 FROM ${partitions(s)} AND c.relname = 'events_' || r.month)`;

/** Makes the partitions of this month and the next ones. Entries of a month without one are in the default partition. */
export async function makeMonths(connection: Connection, s: string): Promise<void> {
  const ask = async (text: string): Promise<Rows> => (await connection.run([{ text }]))[0] ?? [];
  try {
    const found = await ask(
      `SELECT c.relname AS name, ${MONTH} AS now, pg_has_role(p.relowner, 'USAGE')
        AND has_schema_privilege(n.oid, 'CREATE') AS mine FROM ${partitions(s)}`,
    );
    if (found[0]?.['mine'] !== true) return; // who may not make them would have to lock the table to be told so
    const there = new Set(found.map((row) => row['name']));
    for (const month of monthsFrom(found[0]['now'] as number, AHEAD)) {
      if (there.has(`events_${month}`)) continue;
      // its first entries are in the default partition already: the others go there too
      if ((await ask(`SELECT 1 FROM ${s}.runs WHERE month = ${month} LIMIT 1`)).length > 0) continue;
      await connection.run([
        ...quietly(s, 'events_default'),
        { text: `SET LOCAL statement_timeout = ${2 * WAIT_MS}` }, // what is in the default partition is looked through
        {
          text: `CREATE TABLE IF NOT EXISTS ${s}.events_${month} PARTITION OF ${s}.events FOR VALUES IN (${month})
            WITH (${IN_PORTIONS})`,
        },
      ]);
    }
  } catch {
    // nothing depends on it: entries go to the default partition, and the next attempt may find the tables free
  }
}

/**
 * What is to be had before everybody else has to wait: others that make or drop partitions, and vacuums, are out of the
 * way. What follows waits for no more than the statements that are being executed.
 */
function quietly(s: string, ...tables: readonly string[]) {
  return [
    `SET LOCAL lock_timeout = ${VACUUM_WAIT_MS}`,
    `LOCK TABLE ${tables.map((table) => `${s}.${table}`).join(', ')} IN SHARE UPDATE EXCLUSIVE MODE`,
    `SET LOCAL lock_timeout = ${WAIT_MS}`,
  ].map((text) => ({ text }));
}

/** `202612`, `202701`, … */
function monthsFrom(month: number, count: number): readonly number[] {
  if (count === 0) return [];
  return [month, ...monthsFrom(month % 100 === 12 ? month + 89 : month + 1, count - 1)];
}

/**
 * The partitions of `events`, one for each month.
 *
 * 1. An entry is reached through the row of its run only, by id and month: when the row is gone, the entry is.
 * 2. A month that is over gets no more runs, so once none is left in it, it can be dropped.
 * 3. Where some stay (held, needed by a fork, not ended), the entries of the others are deleted. Which these are is in the
 *    operations log: its numbers have no gaps, and `swept` is the last of those whose run has been looked for.
 */
export class Months {
  private readonly desk: Desk;
  private readonly settings: Settings;
  private readonly hooks: Hooks;
  private readonly timer: NodeJS.Timeout;

  constructor(desk: Desk, settings: Settings, hooks: Hooks) {
    this.desk = desk;
    this.settings = settings;
    this.hooks = hooks;
    const make = () => this.alone((connection) => makeMonths(connection, settings.schema));
    this.timer = setInterval(() => void make(), EVERY_MS);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Takes what pruned and archived runs left behind out of storage. */
  async collect(): Promise<void> {
    const rows = await this.desk.rows({
      text: `SELECT c.relname AS name, ${MONTH} AS now FROM ${partitions(this.settings.schema)}`,
    });
    const kept: number[] = [];
    for (const row of rows) {
      const month = Number(/^events_(\d{6})$/.exec(row['name'] as string)?.[1] ?? Number.NaN);
      if (month < (row['now'] as number) && (await this.drop(month)) === 'kept') kept.push(month);
    }
    await this.sweep(kept);
  }

  /** `later`: somebody uses the table for longer. Its entries are not deleted one by one: the next collection drops it. */
  private async drop(month: number): Promise<'dropped' | 'kept' | 'later'> {
    const { schema: s } = this.settings;
    const runs = { text: `SELECT 1 FROM ${s}.runs WHERE month = ${month} LIMIT 1` };
    if ((await this.desk.rows(runs)).length > 0) return 'kept';
    const dropping = this.alone((connection) =>
      connection.transaction<'dropped' | 'kept'>(async (ask) => {
        for (const statement of quietly(s, 'events_default', `events_${month}`)) await ask(statement);
        // the table before its partition, as everybody takes them
        await ask({ text: `LOCK TABLE ONLY ${s}.events IN ACCESS EXCLUSIVE MODE` });
        if ((await ask(runs)).length > 0) return 'kept'; // it came while this waited, and was at work since the month ended
        await ask({ text: `DROP TABLE ${s}.events_${month}` });
        return 'dropped';
      }),
    );
    return dropping.catch((error: unknown) => {
      const { code = '' } = error as { readonly code?: string };
      const isBusy = isLost(error) || isTransient(error) || ['57014', '42P01'].includes(code);
      return isBusy ? 'later' : 'kept'; // who may not drop a table may still delete what is in it
    });
  }

  /** Deletes what is left in months that stay, of runs that went since the last time. */
  private async sweep(months: readonly number[]): Promise<void> {
    const { schema: s } = this.settings;
    const [row] = await this.desk.rows({
      text: `SELECT value::int8 AS swept, (SELECT coalesce(max(n), 0) FROM ${s}.operations) AS last
        FROM ${s}.flyball_meta WHERE key = 'swept'`,
    });
    const last = (row?.['last'] as number | undefined) ?? 0;
    for (let swept = (row?.['swept'] as number | undefined) ?? 0; swept < last; ) {
      const from = swept;
      swept = months.length === 0 ? last : Math.min(last, from + PORTION);
      const deleting = {
        name: 'sweep',
        text: `DELETE FROM ${s}.events e USING ${s}.operations o
          WHERE o.n > $1 AND o.n <= $2 AND o.action IN ('prune', 'archive') AND e.run = o.of AND e.month = ANY($3::int[])
            AND NOT EXISTS (SELECT 1 FROM ${s}.runs r WHERE r.id = e.run AND r.month = e.month)`,
        values: [from, swept, months],
      };
      await this.desk.ask(...(months.length === 0 ? [] : [deleting]), {
        text: `UPDATE ${s}.flyball_meta SET value = $1::int8::text WHERE key = 'swept' AND value::int8 < $1::int8`,
        values: [swept],
      });
    }
  }

  /** Over a connection of its own: nobody else waits behind a lock that it waits for. */
  private async alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = new Connection(this.settings, this.hooks);
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }
}
