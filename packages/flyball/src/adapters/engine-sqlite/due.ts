import type { Owner } from '../../core/events.js';
import type { DueQuery } from '../../ports/engine.js';
import type { Database, Row, SqlValue } from './database.js';
import { asBytes, asNumbers, integer, optionalInteger, text } from './row.js';
import { isSound, ownerOf, RUN_COLUMNS } from './run-rows.js';

const DUE_COLUMNS = `${RUN_COLUMNS}, ${asNumbers('due_at')}`;

/**
 * Which runs can be claimed. Every query goes by an index that holds only what is due, timed or owned, so that runs
 * which wait for a person cost nothing here, however many they are.
 */
const WANTED = `agent IN (SELECT value FROM json_each(?))
  AND agent || char(10) || version NOT IN (SELECT value FROM json_each(?)) AND crashes + (owner IS NOT NULL) >= ?
  AND crashes + (owner IS NOT NULL) < ? AND id NOT IN (SELECT value FROM json_each(?))`;
const ONLY = 'AND id IN (SELECT value FROM json_each(?))';
export const READY = `SELECT ${DUE_COLUMNS} FROM runs
  WHERE ready = 1 AND due_at IS NOT NULL AND ${WANTED} ORDER BY runs.due_at LIMIT ?`;
export const OVERDUE = `SELECT ${DUE_COLUMNS} FROM runs
  WHERE ready = 0 AND due_at <= ? AND NOT (status = 'suspended' AND id IN (SELECT value FROM json_each(?)))
  AND ${WANTED} ORDER BY runs.due_at LIMIT ?`;
export const NEXT = 'SELECT CAST(min(due_at) AS REAL) AS due_at FROM runs WHERE ready = 0 AND due_at > ?';
export const OWNERS = `SELECT ${asBytes('owner')} FROM runs WHERE owner IS NOT NULL GROUP BY runs.owner`;
export const OWNED = `SELECT ${DUE_COLUMNS} FROM runs WHERE owner = ? AND ${WANTED} LIMIT ?`;

export function dueRuns(database: Database, query: DueQuery): readonly string[] {
  const { now, limit, isGone, asleep = [] } = query;
  const wanted = wantedOf(query);
  const only = query.only === undefined ? undefined : JSON.stringify(query.only);
  const sound = (sql: string, ...values: SqlValue[]): readonly Row[] => {
    if (only === undefined) return database.all(sql, ...values).filter(isSound);
    const narrowed = sql.replace(WANTED, `${WANTED} ${ONLY}`);
    return database.all(narrowed, ...values.slice(0, -1), only, ...values.slice(-1)).filter(isSound);
  };
  const orphans = orphansOf(database, isGone).flatMap((owner) => sound(OWNED, owner, ...wanted, limit));
  const waiting = [...sound(READY, ...wanted, limit), ...sound(OVERDUE, now, JSON.stringify(asleep), ...wanted, limit)];
  waiting.sort((a, b) => integer(a, 'due_at') - integer(b, 'due_at')); // the one that waits longest goes first
  const found = new Set([...orphans, ...waiting].map((row) => text(row, 'id')));
  return [...found].slice(0, limit);
}

/** The parameters of `WANTED`. */
function wantedOf({ agents, except = [], here = [], crashes: { from = 0, below = MANY } = {} }: DueQuery) {
  const left = except.map(({ agent, version }) => `${agent}\n${version}`);
  return [JSON.stringify(agents), JSON.stringify(left), from, below, JSON.stringify(here)] as const;
}

const MANY = Number.MAX_SAFE_INTEGER;

export function nextDue(database: Database, after: number): number | undefined {
  const row = database.get(NEXT, after);
  return row === undefined ? undefined : optionalInteger(row, 'due_at');
}

/** Owners, as stored, that are proven gone: their runs need not wait for the end of the lease. */
function orphansOf(database: Database, isGone: (owner: Owner) => boolean): readonly string[] {
  return database.all(OWNERS).flatMap((row) => {
    const owner = readableOwner(row);
    return owner !== undefined && isGone(owner) ? [text(row, 'owner')] : [];
  });
}

/** One that cannot be read belongs to a damaged row: its run is left alone, the others are not. */
function readableOwner(row: Row): Owner | undefined {
  try {
    return ownerOf(row);
  } catch {
    return undefined;
  }
}
