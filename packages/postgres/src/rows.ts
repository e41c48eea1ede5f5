import type { RunRecord, RunStatus } from 'flyball';
import type { Claim, ForkPoint, Owner } from 'flyball/adapters/engine-kit';
import type { Row } from './driver.js';
import { restored } from './text.js';

export const TERMINAL = `('done', 'degraded', 'blocked', 'cancelled', 'failed')`;
const ENDED: ReadonlySet<unknown> = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed']);

/** Of a run, under the name `r`. */
export const COLUMNS = `r.id, r.n, r.agent, r.version, r.tenant, r.subject, r.source, r.fork, r.created_at, r.updated_at,
  r.status, r.generation, r.fence, r.crashes, r.owner, r.lease_until, r.alive_at, r.active, r.wake_at, r.waiting,
  r.attention, r.code, r.hold, r.ticket, r.was, r.previous`;

/** How a claim changes the row: everything but whose it is and for how long. `by`: the parameters of the claimer. */
export function claimed(by: { readonly now: string; readonly leaseMs: string }): string {
  // as `workedUnseen` of flyball/adapters/engine-kit
  const unseen = `floor(greatest(0, least(${by.now}, r.alive_at + ${by.leaseMs} / 3) - r.alive_at))`;
  return `status = 'running', fence = r.fence + 1, wake_at = NULL, waiting = '[]', attention = NULL,
    code = NULL, signalled = 0, crashes = r.crashes + (CASE WHEN r.owner IS NULL THEN 0 ELSE 1 END),
    active = r.active + (CASE WHEN r.owner IS NULL THEN 0 ELSE ${unseen} END),
    alive_at = ${by.now}, updated_at = ${by.now}, was = r.status, previous = r.owner`;
}

export function isOver(row: Row): boolean {
  return ENDED.has(row['status']);
}

export function ownerIn(row: Row, column: 'owner' | 'previous' = 'owner'): Owner | undefined {
  const text = row[column] as string | null;
  return text === null ? undefined : (JSON.parse(text) as Owner);
}

export function recordOf(row: Row): RunRecord {
  const owner = ownerIn(row);
  const given = (column: string) => row[column] !== null;
  return {
    id: row['id'] as string,
    agent: row['agent'] as string,
    version: row['version'] as string,
    tenant: row['tenant'] as string,
    subject: row['subject'] as string,
    status: row['status'] as RunStatus,
    generation: row['generation'] as number,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
    waiting: JSON.parse(restored(row['waiting'] as string)) as string[],
    crashes: row['crashes'] as number,
    activeMs: row['active'] as number,
    ...(given('wake_at') ? { wakeAt: row['wake_at'] as number } : {}),
    ...(owner === undefined ? {} : { owner }),
    ...(given('lease_until') ? { leaseUntil: row['lease_until'] as number } : {}),
    ...(given('fork') ? { fork: JSON.parse(row['fork'] as string) as ForkPoint } : {}),
    ...(given('source') ? { source: restored(row['source'] as string) } : {}),
    ...(given('attention') ? { attention: restored(row['attention'] as string) } : {}),
    ...(given('code') ? { code: row['code'] as string } : {}),
    ...(given('hold') ? { hold: JSON.parse(restored(row['hold'] as string)) as NonNullable<RunRecord['hold']> } : {}),
  };
}

/** The row right after a claim. */
export function claimOf(row: Row): Claim {
  const owner = ownerIn(row, 'previous');
  return {
    runId: row['id'] as string,
    fence: row['fence'] as number,
    record: recordOf(row),
    was: row['was'] as RunStatus,
    ...(owner === undefined ? {} : { previous: owner }),
  };
}
