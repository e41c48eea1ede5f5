import type { Owner } from '../../core/events.js';
import { byPlace, type OverduePlace, overdueCursor, overduePlace } from '../../core/overdue-place.js';
import { inTurns } from '../../core/turns.js';
import type { DueQuery, OverdueQuery, QueueLine, RunPage } from '../../ports/engine.js';
import type { Database, Row, SqlValue } from './database.js';
import { asBytes, asNumbers, integer, optionalInteger, text } from './row.js';
import { isSound, ownerOf, RUN_COLUMNS, recordOf } from './run-rows.js';

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
/** The line of the next tenant, by its first run. */
export const NEXT_TENANT = `SELECT ${asBytes('tenant')}, ${asNumbers('due_at')} FROM runs
  WHERE ready = ? AND due_at IS NOT NULL AND tenant > ? ORDER BY runs.tenant, runs.due_at LIMIT 1`;
export const OF_TENANT = `SELECT ${DUE_COLUMNS} FROM runs
  WHERE ready = ? AND tenant = ? AND due_at <= ? AND NOT (ready = 0 AND status = 'suspended' AND id IN (SELECT value FROM json_each(?)))
  AND ${WANTED} ORDER BY runs.due_at LIMIT ?`;
export const NEXT = 'SELECT CAST(min(due_at) AS REAL) AS due_at FROM runs WHERE ready = 0 AND due_at > ?';
export const OWNERS = `SELECT ${asBytes('owner')} FROM runs WHERE owner IS NOT NULL GROUP BY runs.owner`;
export const OWNED = `SELECT ${DUE_COLUMNS} FROM runs WHERE owner = ? AND ${WANTED} LIMIT ?`;

/** Lines of tenants that are looked at in one go. Whoever stands behind them waits for a later look, or for being the oldest. */
const MOST_LINES = 1_000;

export function dueRuns(database: Database, query: DueQuery): readonly string[] {
  const { now, limit, isGone, after } = query;
  const asleep = JSON.stringify(query.asleep ?? []);
  const wanted = wantedOf(query);
  const only = query.only === undefined ? undefined : JSON.stringify(query.only);
  const sound = (sql: string, most: number, ...values: SqlValue[]): readonly Row[] =>
    only === undefined
      ? soundRows(database, sql, values, most)
      : soundRows(database, sql.replace(WANTED, `${WANTED} ${ONLY}`), [...values, only], most);
  const orphans = orphansOf(database, isGone).flatMap((owner) => sound(OWNED, limit, owner, ...wanted));
  const [ready, overdue] = [sound(READY, limit, ...wanted), sound(OVERDUE, limit, now, asleep, ...wanted)];
  const ofTenant: OfTenant = (line, tenant, most) =>
    sound(OF_TENANT, most, line, tenant, line === 1 ? MANY : now, asleep, ...wanted);
  // where the oldest are not all there are, they may all be of one tenant
  const rest = ([ready, overdue] as const).flatMap((oldest, at) =>
    oldest.length < limit ? [] : tenantLines(database, { line: at === 0 ? 1 : 0, now, limit, after }, ofTenant),
  );
  const waiting = [...new Map([...ready, ...overdue, ...rest].map((row) => [text(row, 'id'), row])).values()];
  waiting.sort((a, b) => integer(a, 'due_at') - integer(b, 'due_at')); // the one that waits longest goes first
  const turns = inTurns(waiting, (row) => text(row, 'tenant'), { limit, after });
  const found = new Set([...orphans, ...turns].map((row) => text(row, 'id')));
  return [...found].slice(0, limit);
}

/** The first rows that are what was written. Damaged ones stay in line for ever: they must not take the places of others. */
function soundRows(database: Database, sql: string, values: readonly SqlValue[], limit: number): readonly Row[] {
  for (let most = limit; ; ) {
    const rows = database.all(sql, ...values, most);
    const found = rows.filter(isSound);
    if (rows.length < most || found.length >= limit) return found.slice(0, limit);
    most = limit + rows.length - found.length;
  }
}

interface Lines {
  readonly line: 0 | 1;
  readonly now: number;
  readonly limit: number;
  readonly after: string | undefined;
}

type OfTenant = (line: 0 | 1, tenant: string, most: number) => readonly Row[];

/** What is due of as many tenants as may get a turn, beginning behind the one whose turn was last. Goes from tenant to tenant by index. */
function tenantLines(database: Database, { line, now, limit, after = '' }: Lines, ofTenant: OfTenant): readonly Row[] {
  const tenants: string[] = [];
  let [last, isRound] = [after, false];
  for (let looks = 0; looks < MOST_LINES && tenants.length < limit; looks++) {
    const next = database.get(NEXT_TENANT, line, last);
    if (next === undefined || (isRound && text(next, 'tenant') > after)) {
      if (isRound || after === '') break;
      [last, isRound] = ['', true];
      continue;
    }
    last = text(next, 'tenant');
    if (line === 0 && integer(next, 'due_at') > now) continue;
    if (ofTenant(line, last, 1).length > 0) tenants.push(last);
  }
  const share = Math.ceil(limit / Math.max(1, tenants.length));
  return tenants.flatMap((tenant) => ofTenant(line, tenant, share));
}

/** The parameters of `WANTED`. */
function wantedOf({ agents, except = [], here = [], crashes: { from = 0, below = MANY } = {} }: DueQuery) {
  const left = except.map(({ agent, version }) => `${agent}\n${version}`);
  return [JSON.stringify(agents), JSON.stringify(left), from, below, JSON.stringify(here)] as const;
}

const MANY = Number.MAX_SAFE_INTEGER;
const FIRST = Number.MIN_SAFE_INTEGER;

export function nextDue(database: Database, after: number): number | undefined {
  const row = database.get(NEXT, after);
  return row === undefined ? undefined : optionalInteger(row, 'due_at');
}

const QUEUE = `SELECT ${asBytes('tenant', 'agent', 'version')}, count(*) AS runs, CAST(min(due_at) AS REAL) AS due_at FROM runs`;
const READY_LINES = `${QUEUE} WHERE ready = 1 AND due_at IS NOT NULL GROUP BY runs.tenant, runs.agent, runs.version`;
const OVERDUE_LINES = `${QUEUE} WHERE ready = 0 AND due_at <= ? GROUP BY runs.tenant, runs.agent, runs.version`;

export function queueLines(database: Database, now: number): readonly QueueLine[] {
  const lines = new Map<string, QueueLine>();
  for (const row of [...database.all(READY_LINES), ...database.all(OVERDUE_LINES, now)]) {
    const [tenant, agent, version] = [text(row, 'tenant'), text(row, 'agent'), text(row, 'version')];
    const [runs, since] = [integer(row, 'runs'), integer(row, 'due_at')];
    const key = JSON.stringify([tenant, agent, version]);
    const before = lines.get(key) ?? { runs: 0, since };
    lines.set(key, { tenant, agent, version, runs: before.runs + runs, since: Math.min(before.since, since) });
  }
  return [...lines.values()];
}

export const WAITED = `SELECT ${DUE_COLUMNS} FROM runs WHERE ready = ? AND due_at <= ? AND due_at >= ?
  AND (runs.due_at > ? OR runs.id > ?) AND agent IN (SELECT value FROM json_each(?)) ORDER BY runs.due_at, runs.id LIMIT ?`;

export function overdueRuns(database: Database, { now, forMs, agents, limit, cursor }: OverdueQuery): RunPage {
  const { since, id } = cursor === undefined ? { since: FIRST, id: '' } : overduePlace(cursor);
  const waited = (ready: 0 | 1): readonly Row[] =>
    soundRows(database, WAITED, [ready, now - forMs, since, since, id, JSON.stringify(agents)], limit);
  const found = [...waited(0), ...waited(1)].sort((a, b) => byPlace(placeOf(a), placeOf(b))).slice(0, limit);
  const last = found.at(-1);
  return { runs: found.map(recordOf), ...(last === undefined ? {} : { cursor: overdueCursor(placeOf(last)) }) };
}

function placeOf(row: Row): OverduePlace {
  return { since: integer(row, 'due_at'), id: text(row, 'id') };
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
