import { FlyballError } from '../../core/errors.js';

/**
 * Turns what a driver or the file system throws into our errors: what happened, and what to do next. Errors from
 * anywhere else pass as they are.
 */

const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const PROTOCOL = 15;
const CONSTRAINT = 19;
const NOT_A_DATABASE = 26;
/** The file of the shared index cannot grow: SQLite reports a full disk there as an I/O error. */
const IO_SHARED_INDEX_SIZE = 4874;

/** Another connection is in the way for a moment; the same call may be made again soon. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

export function isConstraint(error: unknown): boolean {
  return primaryCode(error) === CONSTRAINT;
}

export function storageError(error: unknown, path: string): Error {
  if (error instanceof Error && !isFromStorage(error)) return error;
  const options = { cause: error, detail: { path } };
  const says = error instanceof Error ? error.message : String(error);
  switch (verdict(error)) {
    case 'full':
      return new FlyballError(
        'STORAGE_FULL',
        `The disk of ${path} is full (${says}). Nothing was written, and committed data is safe. Free some space and try again.`,
        { ...options, retryable: true },
      );
    case 'read-only':
      return new FlyballError(
        'STORAGE_READ_ONLY',
        `${path} cannot be written (${says}). Nothing was lost. Give this user write access to the file and its directory, or choose another path.`,
        options,
      );
    case 'busy':
      return storageBusy(path, error);
    case 'corrupt':
      return new FlyballError(
        'JOURNAL_CORRUPT',
        `${path} is damaged or is not a SQLite database (${says}). It was not changed. Restore a backup, or save what can be read with \`sqlite3 ${path} .recover\`.`,
        options,
      );
    case 'other':
      return new FlyballError(
        'STORAGE_FAILED',
        `${path}: ${says}. Nothing of this call was confirmed; see the cause.`,
        options,
      );
  }
}

export function storageBusy(path: string, cause?: unknown): FlyballError {
  return new FlyballError(
    'STORAGE_BUSY',
    `${path} stayed locked by another process. Nothing was written. Try again, or find the process that holds a transaction open.`,
    { retryable: true, detail: { path }, cause },
  );
}

export function storageClosed(path: string): FlyballError {
  return new FlyballError('STORAGE_FAILED', `The engine on ${path} is closed. Open it again to continue.`, {
    detail: { path },
  });
}

function isFromStorage(error: Error): boolean {
  if (error instanceof FlyballError) return false;
  return resultCode(error) !== undefined || typeof (error as { code?: unknown }).code === 'string';
}

function verdict(error: unknown): 'full' | 'read-only' | 'busy' | 'corrupt' | 'other' {
  const system = (error as { code?: unknown }).code;
  if (system === 'ENOSPC' || system === 'EDQUOT') return 'full';
  if (system === 'EROFS' || system === 'EACCES' || system === 'EPERM') return 'read-only';
  if (resultCode(error) === IO_SHARED_INDEX_SIZE) return 'full';
  switch (primaryCode(error)) {
    case FULL:
      return 'full';
    case READ_ONLY:
    case CANNOT_OPEN:
      return 'read-only';
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return 'busy';
    case CORRUPT:
    case NOT_A_DATABASE:
      return 'corrupt';
    default:
      return 'other';
  }
}

function primaryCode(error: unknown): number | undefined {
  const code = resultCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** The extended result code of SQLite, where either driver puts it. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === 'number') return errcode;
  if (typeof rawCode === 'number') return rawCode;
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/.exec(error.message); // libsql has no field for this one
  return opening === null ? undefined : Number(opening[1]);
}
