import { type ErrorCode, FlyballError, JournalConflictError } from '../core/errors.js';

const WHY: Partial<Record<ErrorCode, string>> = {
  STORAGE_FULL: 'the disk is full',
  STORAGE_READ_ONLY: 'its storage cannot be written',
  STORAGE_BUSY: 'its storage stayed locked by another process',
  STORAGE_UNCERTAIN: 'its storage did not confirm the last write',
};

export function isOfStorage(error: unknown): error is FlyballError {
  return error instanceof FlyballError && error.code.startsWith('STORAGE_');
}

/** A lost claim, or a store that does not answer as it should. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof JournalConflictError || isOfStorage(error);
}

/**
 * What is told of a run that is stored and that its store stopped. The store says that the call which failed wrote
 * nothing and may be made again: that is about one write, and whoever took it for the run would start it twice.
 */
export function stoppedHere(runId: string, error: unknown): unknown {
  if (!isOfStorage(error)) return error;
  const why = WHY[error.code] ?? 'its storage failed';
  return new FlyballError(
    error.code,
    `Run ${runId} is stored and stopped here because ${why}. Do not start it again. Fix the cause; the run continues when a worker picks it up or somebody resumes it.`,
    { retryable: error.retryable, detail: { ...error.detail, runId }, cause: error },
  );
}
