import { randomUUID } from 'node:crypto';
import type { Owner } from 'flyball';
import type { Claim, DueQuery, Taker } from 'flyball/adapters/engine-kit';
import { texts } from './arrays.js';
import type { LeaseClock } from './clock.js';
import type { Rows } from './connection.js';
import type { Desk } from './desk.js';
import { COLUMNS, claimed, claimOf } from './rows.js';

const MANY = 2 ** 31 - 1;
/** What is asked of every run, whatever it is due for. The first seven parameters of a query. */
const WANTED = `r.agent = ANY($1::text[]) AND (r.agent || chr(10) || r.version) <> ALL($2::text[])
  AND r.crashes + (CASE WHEN r.owner IS NULL THEN 0 ELSE 1 END) >= $3::int8
  AND r.crashes + (CASE WHEN r.owner IS NULL THEN 0 ELSE 1 END) < $4::int8
  AND r.id <> ALL($5::text[]) AND ($6::text[] IS NULL OR r.id = ANY($6::text[]))`;
const READY = `(r.status = 'pending' OR (r.status = 'suspended' AND r.signalled > 0)
  OR (r.status = 'paused' AND r.signalled > 1))`;
const TIMED = `r.status = 'suspended' AND r.signalled = 0 AND r.wake_at IS NOT NULL`;

/** Which runs can be claimed, and claims them. Each part goes by an index that holds nothing else. */
export class Due {
  private readonly desk: Desk;
  private readonly s: string;
  private readonly clock: LeaseClock;

  constructor(desk: Desk, schema: string, clock: LeaseClock) {
    this.desk = desk;
    this.s = schema;
    this.clock = clock;
  }

  async find(query: DueQuery): Promise<readonly string[]> {
    if (isEmpty(query)) return [];
    const gone = await this.goneOf(query.isGone);
    const rows = await this.desk.rows({
      name: 'due',
      text: `WITH ${this.parts('')} SELECT id FROM found GROUP BY id ORDER BY min(line), min(at) LIMIT $7`,
      values: valuesOf(query, gone),
    });
    return rows.map((row) => row['id'] as string);
  }

  /** Rows that somebody else is just taking are passed over: nobody waits, and nobody is refused. */
  async take(query: DueQuery, by: Taker): Promise<readonly Claim[]> {
    if (isEmpty(query)) return [];
    const gone = await this.goneOf(query.isGone);
    const ticket = randomUUID();
    const until = this.clock.until('$8::float8', '$12::float8');
    const take = {
      name: 'take',
      text: `WITH ${this.parts('FOR NO KEY UPDATE OF r SKIP LOCKED')},
        old AS (SELECT id FROM found GROUP BY id ORDER BY min(line), min(at) LIMIT $7)
        UPDATE ${this.s}.runs r SET ${claimed({ now: '$8::float8', leaseMs: '$12::float8' })}, owner = $11,
          lease_until = ${until}, ticket = $13 FROM old WHERE r.id = old.id RETURNING ${COLUMNS}`,
      values: [...valuesOf(query, gone), JSON.stringify(by.owner), by.leaseMs, ticket],
    };
    const mine = {
      name: 'taken',
      text: `SELECT ${COLUMNS} FROM ${this.s}.runs r WHERE r.owner = $1 AND r.ticket = $2`,
      values: [JSON.stringify(by.owner), ticket],
    };
    // one whose answer was lost may have been made: what it took is ours, and no more is taken
    const results = await this.desk.attempts((attempt) => (attempt === 0 ? [take] : [mine]));
    return (results[0] ?? []).map(claimOf);
  }

  /** The next timer or end of a lease, in the caller's time. */
  async next(now: number): Promise<number | undefined> {
    const lease = this.clock.inCallersTime('r.lease_until', '$1::float8');
    const [row] = await this.desk.rows({
      name: 'next-due',
      text: `SELECT least(
        (SELECT min(r.wake_at) FROM ${this.s}.runs r WHERE ${TIMED} AND r.wake_at > $1::float8),
        (SELECT min(${lease}) FROM ${this.s}.runs r WHERE r.owner IS NOT NULL AND ${lease} > $1::float8)) AS at`,
      values: [now],
    });
    return (row?.['at'] as number | null | undefined) ?? undefined;
  }

  /** `found`: ids with their line (those left behind come first) and since when they are due. */
  private parts(locking: string): string {
    const part = (line: number, at: string, where: string) => `SELECT r.id, ${line} AS line, ${at} AS at
      FROM ${this.s}.runs r WHERE ${where} AND ${WANTED} ORDER BY ${at} LIMIT $7 ${locking}`;
    return `orphans AS (${part(0, 'r.lease_until', 'r.owner = ANY($10::text[])')}),
      over AS (${part(1, 'r.lease_until', `r.owner IS NOT NULL AND r.lease_until <= ${this.clock.now('$8::float8')}`)}),
      ready AS (${part(1, 'r.updated_at', READY)}),
      timed AS (${part(1, 'r.wake_at', `${TIMED} AND r.wake_at <= $8::float8 AND r.id <> ALL($9::text[])`)}),
      found AS (SELECT * FROM orphans UNION ALL SELECT * FROM over UNION ALL SELECT * FROM ready UNION ALL SELECT * FROM timed)`;
  }

  /** Owners, as stored, that are proven gone. Walks from owner to owner: as many steps as there are owners, not runs. */
  private async goneOf(isGone: (owner: Owner) => boolean): Promise<readonly string[]> {
    const rows: Rows = await this.desk.rows({
      name: 'owners',
      text: `WITH RECURSIVE o AS (SELECT min(owner) AS owner FROM ${this.s}.runs WHERE owner IS NOT NULL
        UNION ALL SELECT (SELECT min(owner) FROM ${this.s}.runs WHERE owner > o.owner) FROM o WHERE o.owner IS NOT NULL)
        SELECT owner FROM o WHERE owner IS NOT NULL`,
    });
    const owners = rows.map((row) => row['owner'] as string);
    return owners.filter((owner) => isGone(JSON.parse(owner) as Owner));
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
  ];
}
