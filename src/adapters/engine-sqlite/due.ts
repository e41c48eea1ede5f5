import type { Owner } from '../../core/events.js';
import type { DueQuery } from '../../ports/engine.js';
import type { Database, Row } from './database.js';
import { integer, optionalInteger, text } from './row.js';
import { ownerOf } from './run-rows.js';

/**
 * Which runs can be claimed. Every query goes by an index that holds only what is due, timed or owned, so that runs
 * which wait for a person cost nothing here, however many they are.
 */
const WANTED = `agent IN (SELECT value FROM json_each(?))
  AND agent || char(10) || version NOT IN (SELECT value FROM json_each(?)) AND crashes + (owner IS NOT NULL) < ?`;
export const READY = `SELECT id, due_at FROM runs
  WHERE ready = 1 AND due_at IS NOT NULL AND ${WANTED} ORDER BY due_at LIMIT ?`;
export const OVERDUE = `SELECT id, due_at FROM runs
  WHERE ready = 0 AND due_at <= ? AND ${WANTED} ORDER BY due_at LIMIT ?`;
export const NEXT = 'SELECT min(due_at) AS due_at FROM runs WHERE ready = 0 AND due_at > ?';
export const OWNERS = 'SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL';
export const OWNED = `SELECT id FROM runs WHERE owner = ? AND ${WANTED} LIMIT ?`;

export function dueRuns(database: Database, query: DueQuery): readonly string[] {
  const { now, limit, isGone } = query;
  const wanted = wantedOf(query);
  const orphans = orphansOf(database, isGone).flatMap((owner) => database.all(OWNED, owner, ...wanted, limit));
  const waiting = [...database.all(READY, ...wanted, limit), ...database.all(OVERDUE, now, ...wanted, limit)];
  waiting.sort((a, b) => integer(a, 'due_at') - integer(b, 'due_at')); // the one that waits longest goes first
  const found = new Set([...orphans, ...waiting].map((row) => text(row, 'id')));
  return [...found].slice(0, limit);
}

/** The parameters of `WANTED`. */
function wantedOf({ agents, except = [], fewerCrashesThan = Number.MAX_SAFE_INTEGER }: DueQuery) {
  const left = except.map(({ agent, version }) => `${agent}\n${version}`);
  return [JSON.stringify(agents), JSON.stringify(left), fewerCrashesThan] as const;
}

export function nextDue(database: Database, after: number): number | undefined {
  const row = database.get(NEXT, after);
  return row === undefined ? undefined : optionalInteger(row, 'due_at');
}

/** Owners, as stored, that are proven gone: their runs need not wait for the end of the lease. */
function orphansOf(database: Database, isGone: (owner: Owner) => boolean): readonly string[] {
  const isOrphaned = (row: Row): boolean => {
    const owner = ownerOf(row);
    return owner !== undefined && isGone(owner);
  };
  return database
    .all(OWNERS)
    .filter(isOrphaned)
    .map((row) => text(row, 'owner'));
}
