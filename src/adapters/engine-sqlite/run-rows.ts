import type { ForkPoint, Owner } from '../../core/events.js';
import type { RunRecord, RunStatus } from '../../ports/engine.js';
import type { Row } from './database.js';
import { integer, json, optionalInteger, optionalText, text } from './row.js';

export const RUN_COLUMNS = `n, id, agent, version, tenant, subject, source, fork, created_at, updated_at, status, generation,
  fence, crashes, owner, lease_until, wake_at, waiting, attention, signalled`;

const TERMINAL: ReadonlySet<string> = new Set<RunStatus>(['done', 'degraded', 'blocked', 'cancelled', 'failed']);

/** `bounded` is not among them: it goes on under a larger budget. */
export function isOver(row: Row): boolean {
  return TERMINAL.has(text(row, 'status'));
}

export function ownerOf(row: Row): Owner | undefined {
  return row['owner'] === null ? undefined : json<Owner>(row, 'owner');
}

export function recordOf(row: Row): RunRecord {
  const wakeAt = optionalInteger(row, 'wake_at');
  const leaseUntil = optionalInteger(row, 'lease_until');
  const owner = ownerOf(row);
  const source = optionalText(row, 'source');
  const attention = optionalText(row, 'attention');
  return {
    id: text(row, 'id'),
    agent: text(row, 'agent'),
    version: text(row, 'version'),
    tenant: text(row, 'tenant'),
    subject: text(row, 'subject'),
    status: text(row, 'status') as RunStatus,
    generation: integer(row, 'generation'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    waiting: json<readonly string[]>(row, 'waiting'),
    crashes: integer(row, 'crashes'),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(owner === undefined ? {} : { owner }),
    ...(leaseUntil === undefined ? {} : { leaseUntil }),
    ...(row['fork'] === null ? {} : { fork: json<ForkPoint>(row, 'fork') }),
    ...(source === undefined ? {} : { source }),
    ...(attention === undefined ? {} : { attention }),
  };
}
