import type { Operation, Tombstone } from 'flyball/adapters/engine-kit';
import type { PostgresEngine } from '../../packages/postgres/src/index.js';
import { MONTH } from '../../packages/postgres/src/schema.js';
import { claimBy, entry, newRun, START } from './runs.js';
import { asAdmin } from './server.js';

/** A month that is long over. */
export const PAST = 202_401;

/** What an administrator of the database sees of its months, and does to them. */
export function monthsOf(url: string, schema: string) {
  const sql = (...texts: readonly string[]) => asAdmin(url, ...texts);
  return {
    sql,
    /** The partitions that there are, by name. */
    async partitions(): Promise<readonly string[]> {
      const found = await sql(
        `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'
          AND relname LIKE 'events%' ORDER BY relname`,
      );
      return found.map((row) => row['relname'] as string);
    },
    make: (month: number) =>
      sql(`CREATE TABLE ${schema}.events_${month} PARTITION OF ${schema}.events FOR VALUES IN (${month})`),
    /** Runs that are created or restored from here on come in this month; without one, in the month that it is. */
    turnTo: (month?: number) => sql(`ALTER TABLE ${schema}.runs ALTER month SET DEFAULT ${month ?? MONTH}`),
    async thisMonth(): Promise<number> {
      return (await sql(`SELECT ${MONTH} AS month`))[0]?.['month'] as number;
    },
    /** Entries of a run that are stored, whether anybody can reach them or not, by partition. */
    async stored(run: string): Promise<Readonly<Record<string, number>>> {
      const found = await sql(
        `SELECT tableoid::regclass::text AS name, count(*)::int AS entries FROM ${schema}.events
          WHERE run = '${run}' GROUP BY 1`,
      );
      return Object.fromEntries(found.map((row) => [(row['name'] as string).split('.')[1], row['entries'] as number]));
    },
  };
}

export function removal(of: string, action: 'prune' | 'erase' | 'archive' = 'prune') {
  const ended = { agent: 'agent', tenant: 'tenant', status: 'done', createdAt: START, endedAt: START } as const;
  const tombstone: Tombstone = { ...ended, digests: [], head: '' };
  return { at: START, by: 'operator', action, of, tombstone } satisfies Operation & { readonly tombstone: Tombstone };
}

/** A run of four entries that has ended. */
export async function finished(engine: PostgresEngine, id: string): Promise<void> {
  await engine.create(newRun(id));
  const claim = await claimBy(engine, id, 'me');
  await engine.append(claim, { entries: [entry(1), entry(2), entry(3)] });
  await engine.release(claim, { status: 'done', now: START });
}
