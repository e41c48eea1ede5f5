import { FlyballError } from '../core/errors.js';
import type { Operation, Tombstone } from '../core/operations.js';
import { possibleReferences } from '../core/references.js';
import { COLLECTION as APPROVALS } from '../people/request-shelf.js';
import type { Clock } from '../ports/clock.js';
import type { Collected, Engine, RunRecord } from '../ports/engine.js';
import type { Store } from '../ports/store.js';
import type { Runtime } from '../runtime/runtime.js';
import { auditDigests } from '../views/audit.js';
import { withoutPrivate } from '../views/without-private.js';
import { eraseAnswers } from './kept-answers.js';

export interface RemovalParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly runtime: Pick<Runtime, 'entries'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Remover {
  readonly action: 'prune' | 'erase' | 'archive';
  readonly by: string;
  readonly why?: string;
  /** Puts a copy somewhere else before a run goes, and says where. A run that it fails for stays. */
  readonly keep?: (record: RunRecord) => Promise<NonNullable<Operation['archive']>>;
}

export interface Removal {
  readonly removed: readonly string[];
  /** What stayed although it was to go: it changed meanwhile, or cannot be read. */
  readonly kept: readonly KeptRun[];
  readonly collected: Collected;
}

export interface KeptRun {
  readonly id: string;
  readonly why: string;
  /** It went on, was held, or was forked after it was selected. */
  readonly changed: boolean;
}

/** Removes these runs, in this order, then the contents that nothing refers to any more. */
export async function removeRuns(
  parts: RemovalParts,
  records: readonly RunRecord[],
  remover: Remover,
): Promise<Removal> {
  await eraseAnswers(parts, records);
  const removed: string[] = [];
  const kept: KeptRun[] = [];
  for (const record of records) {
    try {
      await removeRun(parts, record, remover);
      removed.push(record.id);
    } catch (error) {
      if (!(error instanceof FlyballError) || error.code.startsWith('STORAGE_')) throw error;
      kept.push({ id: record.id, why: error.message, changed: error.code === 'RUN_KEPT' });
    }
  }
  const collected = removed.length === 0 ? { contents: 0, links: 0 } : await parts.engine.collect(possibleReferences);
  return { removed, kept, collected };
}

async function removeRun(parts: RemovalParts, record: RunRecord, { keep, ...remover }: Remover): Promise<void> {
  const { engine, clock } = parts;
  const archive = keep === undefined ? {} : { archive: await keep(record) };
  const tombstone = tombstoneOf(
    record,
    auditDigests(record.id, withoutPrivate(await parts.runtime.entries(record.id))),
  );
  // the tombstone says what was selected: a run that went on since does not match it, and stays
  await engine.remove(record.id, { ...remover, ...archive, at: clock.now(), of: record.id, tombstone });
  await eraseRequests(parts, record);
}

function tombstoneOf(
  { agent, tenant, status, createdAt, updatedAt }: RunRecord,
  audit: Pick<Tombstone, 'digests' | 'head'>,
): Tombstone {
  return { agent, tenant, status, createdAt, endedAt: updatedAt, ...audit };
}

/** The inbox keeps copies of what runs asked of people. */
async function eraseRequests({ store, clock }: RemovalParts, { id, tenant }: RunRecord): Promise<void> {
  const place = { tenant, owner: 'people', collection: APPROVALS };
  for (let cursor: string | undefined; ; ) {
    const page = await store.query({
      ...place,
      where: { run: id },
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { key } of page.records) await store.erase({ ...place, key }, clock.now());
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
