import { FlyballError, JournalConflictError } from './errors.js';
import type { Operation, Tombstone } from './operations.js';

/** What engines and stores answer when they refuse, in one wording whichever of them is asked. */

/** The error for a run that was taken out of storage: what became of it, as the operations log has it. */
export function runRemoved({ of, action, at, archive, tombstone }: Operation): FlyballError {
  const when = new Date(at).toISOString();
  const message =
    action === 'archive'
      ? `Run ${of} was archived${archive === undefined ? '' : ` as ${archive.key}`} on ${when}. Restore it with: flyball archive restore <place> ${of}`
      : `Run ${of} was ${action === 'erase' ? 'erased' : 'pruned'} on ${when}. It cannot be restored.`;
  return new FlyballError('RUN_NOT_FOUND', message, {
    detail: { runId: of, removed: action, at, tenant: tombstone?.tenant },
  });
}

/** There is no such run, or none of that tenant. */
export function runNotFound(runId: string): FlyballError {
  return new FlyballError('RUN_NOT_FOUND', `There is no run ${runId}. List the runs to find the id you mean.`, {
    detail: { runId },
  });
}

/** The error for an id that is taken. */
export function runExists(runId: string): FlyballError {
  return new FlyballError('RUN_EXISTS', `Run ${runId} already exists. Choose another id, or resume that run.`, {
    detail: { runId },
  });
}

/** The error for a run that cannot be put back because it has not ended. */
export function notEnded(run: { readonly id: string; readonly status: string }): FlyballError {
  return new FlyballError(
    'INPUT_INVALID',
    `Run ${run.id} is ${run.status}, and only runs that have ended can be put back. Nothing was changed.`,
    { detail: { runId: run.id, status: run.status } },
  );
}

/** Why a run stays in storage. */
export type KeptBecause = 'held' | 'open' | 'forked' | 'changed';

/** The error for a run that cannot be removed. */
export function runKept(runId: string, because: KeptBecause, about: string): FlyballError {
  return new FlyballError('RUN_KEPT', `Run ${runId} cannot be removed: ${about}. Nothing was changed.`, {
    detail: { runId, because },
  });
}

/** What is left of a run has to be true of it: refuses one that is not as it was when somebody decided that it goes. */
export function refuseChanged(
  run: { readonly id: string; readonly status: string; readonly updatedAt: number },
  { status, endedAt }: Pick<Tombstone, 'status' | 'endedAt'>,
): void {
  if (run.status === status && run.updatedAt === endedAt) return;
  throw runKept(run.id, 'changed', `it has changed since it was selected, and is now ${run.status}`);
}

export function cursorUnknown(cursor: string): FlyballError {
  return new FlyballError('INPUT_INVALID', 'The cursor is not valid. Start with the first page.', {
    detail: { cursor: cursor.slice(0, 80) },
  });
}

/** What an engine that counts its pages by number gave out. */
export function cursorNumber(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw cursorUnknown(cursor);
  return Number(cursor);
}

/** The error for a change to a run that has ended. */
export function alreadyTerminal(run: { readonly id: string; readonly status: string }): FlyballError {
  return new FlyballError(
    'ALREADY_TERMINAL',
    `Run ${run.id} has ended (${run.status}). Fork it to continue from one of its entries.`,
    { detail: { runId: run.id, status: run.status } },
  );
}

/** The error for a run that another process owns. */
export function heldByAnother(runId: string, owner: { readonly id: string }, leaseUntil: number): JournalConflictError {
  return new JournalConflictError(
    runId,
    `${owner.id} owns it until ${new Date(leaseUntil).toISOString()}. Send it a signal, or wait until it is released.`,
  );
}

/** The error for a claim of an owner that an operator has declared gone. */
export function claimerGone(runId: string, owner: { readonly id: string }): JournalConflictError {
  return new JournalConflictError(
    runId,
    `${owner.id} was declared gone by an operator, so it can claim nothing any more. A process that is alive takes a new owner id.`,
  );
}

/** The error for a write with an old claim. */
export function staleClaim(claim: { readonly runId: string; readonly fence: number }): JournalConflictError {
  return new JournalConflictError(
    claim.runId,
    `claim ${claim.fence} is stale: the run was released or taken over. Nothing was written; leave it to its owner.`,
  );
}

/** The error for an entry at a position that is taken. */
export function positionTaken(
  runId: string,
  at: { readonly generation: number; readonly seq: number },
  why = 'is taken',
): JournalConflictError {
  return new JournalConflictError(
    runId,
    `entry ${at.seq} of generation ${at.generation} ${why}. Nothing was written; read the journal again.`,
  );
}

/** The answer to a write was lost, and nobody can say whether it was made: whoever reads it later finds out. */
export function writeUncertain(runId: string, cause: unknown): FlyballError {
  return new FlyballError(
    'STORAGE_UNCERTAIN',
    `The storage stopped responding during a write for run ${runId}. The write may or may not have happened. Check the run before you try again.`,
    { detail: { runId }, cause },
  );
}

/** The error for a prompt link whose parent is not stored. */
export function linkDangling(linkId: string): FlyballError {
  return new FlyballError(
    'INPUT_INVALID',
    `Link ${linkId} names a parent or content that is not stored. Nothing was written; append what it refers to first.`,
    { detail: { linkId } },
  );
}

/** Whether it is about one run whose data is damaged, and so says nothing about any other. */
export function isRunDamage(error: unknown): error is FlyballError & { readonly code: 'JOURNAL_CORRUPT' } {
  return error instanceof FlyballError && error.code === 'JOURNAL_CORRUPT' && typeof error.detail['runId'] === 'string';
}

/** What a row of a run holds is not what was written. Only this run is affected: others go on. */
export function runDamaged(runId: string, what: string, detail: Readonly<Record<string, unknown>> = {}): FlyballError {
  return new FlyballError(
    'JOURNAL_CORRUPT',
    `${what} of run ${runId} is damaged: it is not what was written. Nothing of it was used. Restore the database from a backup, or ignore this run; other runs are not affected.`,
    { detail: { runId, ...detail } },
  );
}

export function entryDamaged(
  runId: string,
  at: { readonly generation: number; readonly seq: number },
  cause: 'changed' | 'missing',
): FlyballError {
  const which = `Entry ${at.seq} of generation ${at.generation}`;
  return runDamaged(runId, cause === 'missing' ? `${which} is missing: the journal` : which, { ...at, cause });
}

interface RecordPlace {
  readonly collection: string;
  readonly key: string;
}

/** The error for a change to an old version of a record. */
export function recordOvertaken(at: RecordPlace, over: number, version: number): FlyballError {
  return new FlyballError(
    'RECORD_CONFLICT',
    `${at.collection}/${at.key} is at version ${version}, not ${over}. Read it again and propose the change for that version.`,
    { detail: { collection: at.collection, key: at.key, over, version } },
  );
}

/** The error for a proposal that does not exist. */
export function proposalUnknown(at: RecordPlace, proposal: string): FlyballError {
  return new FlyballError(
    'RECORD_CONFLICT',
    `${at.collection}/${at.key} has no proposal ${proposal}: it was dropped, or erased with the record. Propose it again.`,
    { detail: { collection: at.collection, key: at.key, proposal } },
  );
}

export function recordDamaged(at: RecordPlace, version: number): FlyballError {
  return new FlyballError(
    'JOURNAL_CORRUPT',
    `Version ${version} of ${at.collection}/${at.key} is damaged: it is not what was committed. Restore the database from a backup, or erase the record.`,
    { detail: { collection: at.collection, key: at.key, version } },
  );
}
