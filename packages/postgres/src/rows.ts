import type { RunRecord, RunStatus } from 'flyball';
import { type Claim, type ForkPoint, type NewRun, type Owner, runDamaged } from 'flyball/adapters/engine-kit';
import { damagedRecord } from 'flyball/internal';
import { checksumOf } from './checksum.js';
import type { Row } from './driver.js';
import { restored, stored } from './text.js';

export const TERMINAL = `('done', 'degraded', 'blocked', 'cancelled', 'failed')`;
const ENDED: ReadonlySet<unknown> = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed']);
const OPEN: ReadonlySet<unknown> = new Set(['pending', 'running', 'suspended', 'paused', 'stalled', 'bounded']);

/** Of a run, under the name `r`. */
export const COLUMNS = `r.id, r.n, r.agent, r.version, r.tenant, r.subject, r.source, r.fork, r.created_at, r.updated_at,
  r.status, r.generation, r.fence, r.crashes, r.owner, r.lease_until, r.alive_at, r.active, r.wake_at, r.waiting,
  r.attention, r.code, r.hold, r.ticket, r.was, r.previous, r.birth`;

/** The tickets in a row: of the call that created the run, and of the last that claimed it. */
export const CREATE_TICKET = `split_part(r.ticket, '/', 1)`;
export const CLAIM_TICKET = `split_part(r.ticket, '/', 2)`;

export function claimTicketIn(row: Row): string | undefined {
  return (row['ticket'] as string).split('/')[1];
}

/** How a claim changes the row: everything but whose it is and for how long. `by`: the parameters of the claimer. */
export function claimed(by: { readonly now: string; readonly leaseMs: string; readonly ticket: string }): string {
  // as `workedUnseen` of flyball/adapters/engine-kit
  const unseen = `floor(greatest(0, least(${by.now}, r.alive_at + ${by.leaseMs} / 3) - r.alive_at))`;
  return `status = 'running', fence = r.fence + 1, wake_at = NULL, waiting = '[]', attention = NULL,
    code = NULL, signalled = 0, crashes = r.crashes + (CASE WHEN r.owner IS NULL THEN 0 ELSE 1 END),
    active = r.active + (CASE WHEN r.owner IS NULL THEN 0 ELSE ${unseen} END),
    alive_at = ${by.now}, updated_at = ${by.now}, was = r.status, previous = r.owner,
    ticket = ${CREATE_TICKET} || '/' || ${by.ticket}`; // whoever creates may still ask whether it did
}

/** Of whoever claims. A declaration waits until no claim is under way that does not see it. */
export function notDeclaredGone(s: string, ownerId: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${s}.operations o WHERE o.of = ${ownerId} AND o.action = 'owner-gone')`;
}

/** The checksum of what never changes about a run: whose it is, what it runs, and where it comes from. */
export function birthOf(run: Pick<NewRun, 'id' | 'agent' | 'tenant' | 'subject' | 'createdAt'> & Origin) {
  const { id, agent, tenant, subject, createdAt, source, fork } = run;
  const from = fork === undefined ? undefined : JSON.stringify(fork);
  return checksumOf(id, agent, tenant, subject, createdAt, source && stored(source), from);
}

interface Origin {
  readonly source?: string | undefined;
  readonly fork?: ForkPoint | undefined;
}

function birthIn(row: Row): string {
  const parts = ['id', 'agent', 'tenant', 'subject', 'created_at', 'source', 'fork'];
  return checksumOf(...parts.map((column) => row[column] as string | number | null));
}

export function isOver(row: Row): boolean {
  return ENDED.has(row['status']);
}

export function ownerIn(row: Row, column: 'owner' | 'previous' = 'owner'): Owner | undefined {
  const text = row[column] as string | null;
  if (text === null) return undefined;
  const owner = ownerOf(text);
  return owner ?? damaged(column);
}

/** Undefined where it is not what any owner wrote. */
export function ownerOf(text: string): Owner | undefined {
  const owner = parsed(text) as Partial<Owner> | null | undefined;
  const isOwner = typeof owner?.id === 'string' && typeof owner.host === 'string' && typeof owner.pid === 'number';
  return isOwner ? (owner as Owner) : undefined;
}

/** False for a row that is not what was written. */
export function isSound(row: Row): boolean {
  try {
    return soundRecord(row).id === row['id'];
  } catch {
    return false;
  }
}

/** A damaged row is shown as a run that needs attention, with what can be read of it: a list must not end over it. */
export function recordOf(row: Row): RunRecord {
  return isSound(row) ? soundRecord(row) : damagedIn(row);
}

function soundRecord(row: Row): RunRecord {
  if (birthIn(row) !== row['birth']) return damaged('birth');
  const owner = ownerIn(row);
  const given = (column: string) => row[column] !== null;
  return {
    id: row['id'] as string,
    agent: row['agent'] as string,
    version: row['version'] as string,
    tenant: row['tenant'] as string,
    subject: row['subject'] as string,
    status: ENDED.has(row['status']) || OPEN.has(row['status']) ? (row['status'] as RunStatus) : damaged('status'),
    generation: number(row, 'generation'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
    waiting: waitingIn(row),
    crashes: number(row, 'crashes'),
    activeMs: number(row, 'active'),
    ...(given('wake_at') ? { wakeAt: number(row, 'wake_at') } : {}),
    ...(owner === undefined ? {} : { owner }),
    ...(given('lease_until') ? { leaseUntil: number(row, 'lease_until') } : {}),
    ...(given('fork') ? { fork: JSON.parse(row['fork'] as string) as ForkPoint } : {}),
    ...(given('source') ? { source: restored(row['source'] as string) } : {}),
    ...(given('attention') ? { attention: restored(row['attention'] as string) } : {}),
    ...(given('code') ? { code: row['code'] as string } : {}),
    ...(given('hold') ? { hold: holdIn(row) } : {}),
  };
}

function damagedIn(row: Row): RunRecord {
  const amount = (column: string): number => (Number.isFinite(row[column]) ? (row[column] as number) : 0);
  const shown = {
    id: row['id'] as string,
    agent: row['agent'] as string,
    version: row['version'] as string,
    createdAt: amount('created_at'),
    updatedAt: amount('updated_at'),
  };
  if (birthIn(row) !== row['birth']) return damagedRecord(shown);
  return damagedRecord(shown, { tenant: row['tenant'] as string, subject: row['subject'] as string });
}

/** The row right after a claim. Throws JOURNAL_CORRUPT for one that is not what was written. */
export function claimOf(row: Row): Claim {
  const runId = row['id'] as string;
  if (!isSound(row)) throw runDamaged(runId, 'The record');
  const text = row['previous'] as string | null;
  const previous = text === null ? undefined : ownerOf(text);
  if (text !== null && previous === undefined) throw runDamaged(runId, 'The owner');
  return {
    runId,
    fence: row['fence'] as number,
    record: recordOf(row),
    was: row['was'] as RunStatus,
    ...(previous === undefined ? {} : { previous }),
  };
}

function number(row: Row, column: string): number {
  return Number.isFinite(row[column]) ? (row[column] as number) : damaged(column);
}

function waitingIn(row: Row): readonly string[] {
  const names = JSON.parse(restored(row['waiting'] as string)) as unknown;
  return Array.isArray(names) && names.every((one) => typeof one === 'string') ? names : damaged('waiting');
}

function holdIn(row: Row): NonNullable<RunRecord['hold']> {
  const hold = JSON.parse(restored(row['hold'] as string)) as Partial<NonNullable<RunRecord['hold']>> | null;
  const isHold = typeof hold?.by === 'string' && typeof hold.at === 'number';
  return isHold ? (hold as NonNullable<RunRecord['hold']>) : damaged('hold');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function damaged(column: string): never {
  throw new RangeError(`${column} is not what was written`); // told as JOURNAL_CORRUPT, with the run, by whoever reads it
}
