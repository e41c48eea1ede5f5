import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { FlyballError } from '../core/errors.js';

/** One effect that took place. */
export interface LedgerLine {
  readonly key: string;
  readonly what: unknown;
}

/** What really happened to the world in a crash test, kept where the crash cannot reach it. */
export interface Ledger {
  /** Durable when it returns. Synchronous, so that a process cannot die between the effect and its line. */
  record(key: string, what: unknown): void;
  lines(): readonly LedgerLine[];
  has(key: string): boolean;
}

/** An append-only file with one line of JSON per effect, which processes can share. */
export function ledger(path: string): Ledger {
  const lines = (): readonly LedgerLine[] => parseLines(path);
  return {
    record(key, what) {
      const handle = openSync(path, 'a'); // O_APPEND: lines of several processes do not overwrite each other
      try {
        const line = Buffer.from(`${JSON.stringify({ key, what })}\n`);
        const written = writeSync(handle, line);
        if (written !== line.length) throw torn(path, `only ${written} of ${line.length} bytes of a line were written`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    },
    lines,
    has: (key) => lines().some((line) => line.key === key),
  };
}

function parseLines(path: string): readonly LedgerLine[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  if (text !== '' && !text.endsWith('\n')) throw torn(path, 'its last line has no end');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LedgerLine);
}

/** A test that cannot say what happened must not pass. */
function torn(path: string, why: string): FlyballError {
  return new FlyballError('STORAGE_FAILED', `Ledger ${path} is torn: ${why}. Start the test again with a new file.`, {
    detail: { path },
  });
}
