import { randomUUID } from 'node:crypto';
import {
  type Claim,
  type DueQuery,
  type Owner,
  type QueueLine,
  type RunPage,
  runDamaged,
  type Taker,
} from 'flyball/adapters/engine-kit';
import { type OverdueQuery, overdueCursor, overduePlace } from 'flyball/internal';
import { texts } from './arrays.js';
import type { Identity } from './checks.js';
import type { LeaseClock } from './clock.js';
import type { Rows } from './connection.js';
import type { Desk } from './desk.js';
import type { Row } from './driver.js';
import { CLAIM_TICKET, COLUMNS, claimed, claimOf, isSound, notDeclaredGone, ownerOf, recordOf } from './rows.js';
import { name, stored } from './text.js';

const MANY = 2 ** 31 - 1;
/** Lines of tenants that are looked at in one go. Whoever stands behind them waits for a later look, or for being the oldest. */
const MOST_LINES = 1_000;
/**
 * What is asked of every run, whatever it is due for. The first seven parameters of a query. As one condition: of five, the
 * planner concludes that next to no run meets them, and sorts all that is due instead of reading the first few by index.
 */
const WANTED = `CASE WHEN r.agent = ANY($1::text[]) AND (r.agent || chr(10) || r.version) <> ALL($2::text[])
  AND r.crashes + (CASE WHEN r.owner IS NULL THEN 0 ELSE 1 END) >= $3::int8
  AND r.crashes + (CASE WHEN r.owner IS NULL THEN 0 ELSE 1 END) < $4::int8
  AND r.id <> ALL($5::text[]) AND ($6::text[] IS NULL OR r.id = ANY($6::text[])) THEN true ELSE false END`;
const READY = `(r.status = 'pending' OR (r.status = 'suspended' AND r.signalled > 0)
  OR (r.status = 'paused' AND r.signalled > 1))`;
/** Behind `$11`, the tenant whose turn was last. */
const TURNS = 'line, turn, (tenant <= $11::text), tenant';
/** Rows that are looked at to be taken are kept from others meanwhile: no more than may be taken. */
const SHARE = 'ceil($7::float8 / greatest(1, (SELECT count(*) FROM @_tenants)))::int8';
/** One that was set aside may have an owner that nobody can read. */
const HELD = `r.status = 'running' AND r.owner IS NOT NULL`;
const TIMED = `r.status = 'suspended' AND r.signalled = 0 AND r.wake_at IS NOT NULL`;

/** Which runs can be claimed, and claims them. Each part goes by an index that holds nothing else. */
export class Due {
  private readonly desk: Desk;
  private readonly s: string;
  private readonly clock: LeaseClock;
  private readonly identity: Identity;

  constructor(desk: Desk, schema: string, clock: LeaseClock, identity: Identity) {
    this.desk = desk;
    this.s = schema;
    this.clock = clock;
    this.identity = identity;
  }

  async find(query: DueQuery): Promise<readonly string[]> {
    if (isEmpty(query)) return [];
    const gone = await this.goneOf(query.isGone);
    // some are asked for by name: found by it, and not among all that is due
    const [name, from, named] =
      query.only === undefined
        ? ['due', `${this.s}.runs`, '']
        : ['due-of', 'named', `named AS (SELECT * FROM ${this.s}.runs WHERE id = ANY($6::text[])),`];
    const text = `WITH RECURSIVE ${named} ${this.parts(from, '', '$7')} SELECT id FROM turns ORDER BY ${TURNS} LIMIT $7`;
    const rows = await this.desk.rows({ name, text, values: valuesOf(query, gone) });
    return rows.map((row) => row['id'] as string);
  }

  /** Rows that somebody else is just taking are passed over: nobody waits, and nobody is refused. */
  async take(query: DueQuery, by: Taker): Promise<readonly Claim[]> {
    if (isEmpty(query)) return [];
    const gone = await this.goneOf(query.isGone);
    const ticket = randomUUID();
    const until = this.clock.until('$8::float8', '$13::float8');
    const take = {
      name: 'take',
      text: `WITH RECURSIVE ${this.parts(`${this.s}.runs`, 'FOR NO KEY UPDATE OF r SKIP LOCKED', SHARE)},
        old AS (SELECT id FROM turns ORDER BY ${TURNS} LIMIT $7)
        UPDATE ${this.s}.runs r SET ${claimed({ now: '$8::float8', leaseMs: '$13::float8', ticket: this.identity.only('$14::text') })}, owner = $12,
          lease_until = ${until} FROM old WHERE r.id = old.id AND ${notDeclaredGone(this.s, '$15::text')} RETURNING ${COLUMNS}`,
      values: [...valuesOf(query, gone), JSON.stringify(by.owner), by.leaseMs, ticket, by.owner.id],
    };
    const mine = {
      name: 'taken',
      text: `SELECT ${COLUMNS} FROM ${this.s}.runs r WHERE r.owner = $1 AND ${CLAIM_TICKET} = $2`,
      values: [JSON.stringify(by.owner), ticket],
    };
    // one whose answer was lost may have been made: what it took is ours, and no more is taken
    const results = await this.desk.change(undefined, (attempt) => (attempt === 0 ? [take] : [mine]));
    const claims: Claim[] = [];
    for (const row of results[0] ?? []) {
      const claim = soundClaim(row);
      if (claim === undefined) await this.setAside(row['id'] as string, { ticket });
      else claims.push(claim);
    }
    return claims;
  }

  async queue(now: number): Promise<readonly QueueLine[]> {
    const part = (at: string, where: string) =>
      `SELECT r.tenant, r.agent, r.version, ${at} AS at FROM ${this.s}.runs r WHERE ${where}`;
    const lease = this.clock.inCallersTime('r.lease_until', '$1::float8');
    const rows = await this.desk.rows({
      name: 'queue',
      text: `SELECT tenant, agent, version, count(*) AS runs, min(at) AS since FROM (${part('r.updated_at', READY)}
        UNION ALL ${part('r.wake_at', `${TIMED} AND r.wake_at <= $1::float8`)}
        UNION ALL ${part(lease, `${HELD} AND r.lease_until <= ${this.clock.now('$1::float8')}`)}) q
        GROUP BY tenant, agent, version ORDER BY tenant, agent, version`,
      values: [now],
    });
    return rows.map((row) => ({
      tenant: row['tenant'] as string,
      agent: row['agent'] as string,
      version: row['version'] as string,
      runs: row['runs'] as number,
      since: Number.isFinite(row['since']) ? (row['since'] as number) : now,
    }));
  }

  /** Each part goes by its index from where the page begins, and stops when the page is full. */
  async overdue({ now, forMs, agents, limit, cursor }: OverdueQuery): Promise<RunPage> {
    const part = (since: string, where: string) => `(SELECT ${COLUMNS}, ${since} AS since FROM ${this.s}.runs r
      WHERE ${where} AND ${since} <= $1::float8 - $2::float8 AND ${since} >= $3::float8
        AND (${since} > $3::float8 OR r.id > $4::text) AND r.agent = ANY($5::text[])
      ORDER BY since, r.id LIMIT $6)`;
    const parts = [
      part('r.updated_at', READY),
      part('r.wake_at', TIMED),
      part(this.clock.inCallersTime('r.lease_until', '$1::float8'), HELD),
    ];
    const text = `${parts.join(' UNION ALL ')} ORDER BY since, id LIMIT $6`;
    let place = cursor === undefined ? { since: Number.NEGATIVE_INFINITY, id: '' } : overduePlace(cursor);
    for (;;) {
      const values = [now, forMs, place.since, place.id, texts(agents), limit];
      const rows = await this.desk.rows({ name: 'overdue', text, values });
      const last = rows.at(-1);
      if (last === undefined) return { runs: [] };
      place = { since: last['since'] as number, id: last['id'] as string };
      const runs = rows.filter(isSound).map(recordOf);
      if (runs.length > 0) return { runs, cursor: overdueCursor(place) };
    }
  }

  /** The next timer or end of a lease, in the caller's time. */
  async next(now: number): Promise<number | undefined> {
    const lease = this.clock.inCallersTime('r.lease_until', '$1::float8');
    const [row] = await this.desk.rows({
      name: 'next-due',
      text: `SELECT least(
        (SELECT min(r.wake_at) FROM ${this.s}.runs r WHERE ${TIMED} AND r.wake_at > $1::float8),
        (SELECT min(${lease}) FROM ${this.s}.runs r WHERE ${HELD} AND ${lease} > $1::float8)) AS at`,
      values: [now],
    });
    return Number.isFinite(row?.['at']) ? (row?.['at'] as number) : undefined;
  }

  /**
   * `turns`: ids with their line (those left behind come first) and their turn. Of those left behind, and of the others as
   * well, the oldest are found; beyond them the oldest `most` of as many tenants as may get a turn.
   */
  private parts(from: string, locking: string, most: string): string {
    const part = (
      line: number,
      at: string,
      where: string,
      limit = '$7',
    ) => `SELECT r.id, r.tenant, ${line} AS line, ${at} AS at
      FROM ${from} r WHERE ${where} AND ${WANTED} ORDER BY ${at} LIMIT ${limit} ${locking}`;
    const isTimed = `${TIMED} AND r.wake_at <= $8::float8 AND r.id <> ALL($9::text[])`;
    return `orphans AS (${part(0, 'r.lease_until', `${HELD} AND r.owner = ANY($10::text[])`)}),
      over AS (${part(1, 'r.lease_until', `${HELD} AND r.lease_until <= ${this.clock.now('$8::float8')}`)}),
      ready_first AS (${part(1, 'r.updated_at', READY, '1')}),
      timed_first AS (${part(1, 'r.wake_at', isTimed, '1')}),
      ${this.lines({ name: 'ready', isIn: READY, isDue: READY, from })},
      ${this.lines({ name: 'timed', isIn: TIMED, isDue: isTimed, from })},
      ready AS (SELECT x.* FROM ready_tenants t, LATERAL (${part(1, 'r.updated_at', `r.tenant = t.tenant AND ${READY}`, most.replace('@', 'ready'))}) x),
      timed AS (SELECT x.* FROM timed_tenants t, LATERAL (${part(1, 'r.wake_at', `r.tenant = t.tenant AND ${isTimed}`, most.replace('@', 'timed'))}) x),
      found AS (${['orphans', 'over', 'ready_first', 'timed_first', 'ready', 'timed'].map((name) => `SELECT * FROM ${name}`).join(' UNION ALL ')}),
      turns AS (SELECT id, tenant, line, row_number() OVER (PARTITION BY line, tenant ORDER BY at) AS turn
        FROM (SELECT id, tenant, min(line) AS line, min(at) AS at FROM found GROUP BY id, tenant) f)`;
  }

  /**
   * `…_tenants`: as many tenants with something to take as may get a turn, beginning behind the one whose turn was last.
   * Goes from tenant to tenant by index, and stops when there are enough.
   */
  private lines({ name, isIn, isDue, from }: Readonly<Record<'name' | 'isIn' | 'isDue' | 'from', string>>): string {
    const next = (after: string) =>
      `(SELECT r.tenant FROM ${from} r WHERE ${isIn} AND r.tenant > ${after} ORDER BY r.tenant LIMIT 1)`;
    const walk = (part: string, first: string) => `${part} AS (SELECT ${next(first)} AS tenant
      UNION ALL SELECT ${next('w.tenant')} FROM ${part} w WHERE w.tenant IS NOT NULL)`;
    const some = (part: string) => `(SELECT tenant FROM ${part} LIMIT ${MOST_LINES})`;
    return `${walk(`${name}_behind`, '$11::text')}, ${walk(`${name}_before`, "''")},
      ${name}_tenants AS (SELECT t.tenant FROM (SELECT tenant FROM ${some(`${name}_behind`)} a WHERE tenant IS NOT NULL
        UNION ALL SELECT tenant FROM ${some(`${name}_before`)} b WHERE tenant <= $11::text) t,
        LATERAL (SELECT 1 FROM ${from} r WHERE r.tenant = t.tenant AND ${isDue} AND ${WANTED} LIMIT 1) one LIMIT $7)`;
  }

  /** Owners, as stored, that are proven gone. Walks from owner to owner: as many steps as there are owners, not runs. */
  private async goneOf(isGone: (owner: Owner) => boolean): Promise<readonly string[]> {
    const rows: Rows = await this.desk.rows({
      name: 'owners',
      text: `WITH RECURSIVE o AS (SELECT min(owner) AS owner FROM ${this.s}.runs WHERE owner IS NOT NULL
        UNION ALL SELECT (SELECT min(owner) FROM ${this.s}.runs WHERE owner > o.owner) FROM o WHERE o.owner IS NOT NULL)
        SELECT owner FROM o WHERE owner IS NOT NULL`,
    });
    const gone: string[] = [];
    for (const row of rows) {
      const text = row['owner'] as string;
      const owner = ownerOf(text);
      if (owner === undefined) await this.setAsideAllOf(text);
      else if (isGone(owner)) gone.push(text);
    }
    return gone;
  }

  /** Nobody can say who works on these runs, or whether anybody does. */
  private async setAsideAllOf(owner: string): Promise<void> {
    const rows = await this.desk.rows({
      text: `SELECT r.id FROM ${this.s}.runs r WHERE r.owner = $1 AND r.status = 'running'`,
      values: [owner],
    });
    for (const row of rows) await this.setAside(row['id'] as string, { owner });
  }

  /**
   * Takes a run whose row is not what was written out of the line, so that nobody takes it again and again. What is wrong
   * with it stays as it is, and so it stays known; whoever may still work on it finds its claim stale.
   */
  private async setAside(runId: string, as: { readonly ticket: string } | { readonly owner: string }): Promise<void> {
    const [column, value] = 'ticket' in as ? [CLAIM_TICKET, as.ticket] : ['r.owner', as.owner];
    const { code, message } = runDamaged(runId, 'The record');
    await this.desk.rows({
      text: `UPDATE ${this.s}.runs r SET status = 'stalled', fence = r.fence + 1, lease_until = NULL, attention = $3, code = $4
        ${'ticket' in as ? ', owner = r.previous' : ''} WHERE r.id = $1 AND ${column} = $2 AND r.status = 'running'`,
      values: [runId, value, stored(message), code],
    });
  }
}

/** Undefined for a row that is not what was written. */
function soundClaim(row: Row): Claim | undefined {
  try {
    return claimOf(row);
  } catch {
    return undefined; // its run is set aside, and says so
  }
}

function isEmpty({ agents, limit, only }: DueQuery): boolean {
  return agents.length === 0 || limit < 1 || only?.length === 0;
}

function valuesOf(query: DueQuery, gone: readonly string[]): readonly unknown[] {
  const {
    agents,
    except = [],
    crashes: { from = 0, below = MANY } = {},
    here = [],
    only,
    limit,
    now,
    asleep = [],
    after = '',
  } = query;
  return [
    texts(agents),
    texts(except.map(({ agent, version }) => `${agent}\n${version}`)),
    from,
    Number.isFinite(below) ? below : MANY,
    texts(here),
    only === undefined ? null : texts(only),
    Math.min(limit, MANY),
    now,
    texts(asleep),
    texts(gone),
    name(after),
  ];
}
