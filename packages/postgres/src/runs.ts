import { randomUUID } from 'node:crypto';
import type { RunRecord } from 'flyball';
import {
  alreadyTerminal,
  type Claim,
  type ClaimRequest,
  cursorNumber,
  heldByAnother,
  type RunFilter,
  type RunPage,
  runDamaged,
  runNotFound,
  type SignOfLife,
} from 'flyball/adapters/engine-kit';
import { claimerGone } from 'flyball/internal';
import { floats, integers, texts } from './arrays.js';
import type { Identity } from './checks.js';
import type { LeaseClock } from './clock.js';
import type { Desk } from './desk.js';
import type { Row } from './driver.js';
import {
  COLUMNS,
  claimed as claimedSet,
  claimOf,
  claimTicketIn,
  isOver,
  isSound,
  notDeclaredGone,
  ownerIn,
  recordOf,
  TERMINAL,
} from './rows.js';
import { name } from './text.js';

/** How often others may be quicker before somebody who claims gives up. */
const ROUNDS = 20;

/** The rows of runs: who holds them and how they rest. The fence moves with every claim and every release. */
export class Runs {
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

  async claim(runId: string, by: ClaimRequest): Promise<Claim> {
    const ticket = randomUUID();
    for (let round = 0; ; round += 1) {
      const row = await this.known(runId, by.now);
      if (claimTicketIn(row) === ticket) return claimOf(row); // it was made, and the answer was lost
      if (isOver(row)) throw alreadyTerminal(recordOf(row));
      const owner = ownerIn(row);
      const isLeased = owner !== undefined && (row['lease_until'] as number) > (row['lease_now'] as number);
      if (isLeased && (round === ROUNDS || !by.isGone(owner)))
        throw heldByAnother(runId, owner, row['lease_until'] as number);
      const claiming = {
        name: 'claim',
        text: `UPDATE ${this.s}.runs r SET ${claimedSet({ now: '$4::float8', leaseMs: '$5::float8', ticket: this.identity.only('$6::text') })}, owner = $3,
          lease_until = ${this.clock.until('$4::float8', '$5::float8')}
          WHERE r.id = $1 AND r.fence = $2 AND r.status NOT IN ${TERMINAL} AND ${notDeclaredGone(this.s, '$7::text')} RETURNING ${COLUMNS}`,
        values: [runId, row['fence'], JSON.stringify(by.owner), by.now, by.leaseMs, ticket, by.owner.id],
      };
      const [[claimed] = []] = await this.desk.change(runId, () => [claiming]);
      if (claimed !== undefined) return claimOf(claimed);
      if (await this.isDeclaredGone(by.owner.id)) throw claimerGone(runId, by.owner);
    }
  }

  /** Answers the ids of the stale ones. */
  async renew(
    signs: readonly SignOfLife[],
    { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
  ): Promise<readonly string[]> {
    if (signs.length === 0) return [];
    const renewing = {
      name: 'renew',
      text: `UPDATE ${this.s}.runs r SET lease_until = ${this.clock.until('$4::float8', '$5::float8')}, alive_at = $4::float8,
          active = held.active
        FROM (SELECT r.id, x.active FROM ${this.s}.runs r
          JOIN unnest($1::text[], $2::int8[], $3::float8[]) AS x(id, fence, active) ON r.id = x.id AND r.fence = x.fence
          ORDER BY r.id FOR NO KEY UPDATE OF r) held WHERE r.id = held.id RETURNING r.id`,
      values: [
        texts(signs.map(({ claim }) => claim.runId)),
        integers(signs.map(({ claim }) => claim.fence)),
        floats(signs.map(({ activeMs }) => activeMs)),
        now,
        leaseMs,
      ],
    };
    const [renewed = []] = await this.desk.change(undefined, () => [renewing]);
    const held = new Set(renewed.map((row) => row['id']));
    return signs.map(({ claim }) => claim.runId).filter((id) => !held.has(id));
  }

  /** Answers whether anything changed. */
  async requeue(runId: string): Promise<boolean> {
    await this.known(runId, 0);
    const requeuing = {
      name: 'requeue',
      text: `UPDATE ${this.s}.runs SET status = 'pending', wake_at = NULL, waiting = '[]', attention = NULL, code = NULL, crashes = 0
        WHERE id = $1 AND status IN ('suspended', 'paused', 'bounded', 'stalled') RETURNING id`,
      values: [name(runId)],
    };
    const [changed = []] = await this.desk.change(runId, () => [requeuing]);
    if (changed.length > 0) return true;
    const row = await this.known(runId, 0);
    if (isOver(row)) throw alreadyTerminal(recordOf(row));
    return false;
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    const row = await this.find(runId, 0);
    return row === undefined ? undefined : recordOf(row);
  }

  /** Throws RUN_NOT_FOUND, and JOURNAL_CORRUPT for a row that is not what was written. */
  async known(runId: string, now: number): Promise<Row> {
    const row = await this.find(runId, now);
    if (row === undefined) throw runNotFound(runId);
    if (!isSound(row)) throw runDamaged(runId, 'The record');
    return row;
  }

  async list({ tenant, subject, agent, status, code, before, limit = 100, cursor }: RunFilter): Promise<RunPage> {
    const wanted: readonly (readonly [condition: string, value: unknown])[] = [
      ['r.tenant =', tenant],
      ['r.subject =', subject],
      ['r.agent =', agent],
      ['r.status =', status],
      ['r.code =', code],
      ['r.updated_at <', before],
      ['r.n <', cursor === undefined ? undefined : cursorNumber(cursor)],
    ];
    const given = wanted.filter(([, value]) => value !== undefined);
    const where = given.map(([condition], index) => `${condition} $${index + 2}`).join(' AND ') || 'true';
    const rows = await this.desk.rows({
      text: `SELECT ${COLUMNS} FROM ${this.s}.runs r WHERE ${where} ORDER BY r.n DESC LIMIT $1`,
      values: [limit + 1, ...given.map(([, value]) => (typeof value === 'string' ? name(value) : value))], // one more tells whether there is a next page
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return { runs: page.map(recordOf), ...(hasMore ? { cursor: String(last['n']) } : {}) };
  }

  private async isDeclaredGone(owner: string): Promise<boolean> {
    const text = `SELECT ${notDeclaredGone(this.s, '$1::text')} AS claims`;
    return (await this.desk.rows({ text, values: [owner] }))[0]?.['claims'] === false;
  }

  private async find(runId: string, now: number): Promise<Row | undefined> {
    const [row] = await this.desk.rows({
      name: 'get',
      text: `SELECT ${COLUMNS}, ${this.clock.now('$2::float8')} AS lease_now FROM ${this.s}.runs r
        WHERE r.id = $1`,
      values: [name(runId), now],
    });
    return row;
  }
}
