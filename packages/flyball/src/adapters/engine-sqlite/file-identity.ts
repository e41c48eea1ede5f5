import { statSync } from 'node:fs';
import { FlyballError } from '../../core/errors.js';
import type { Follower } from './group-commit.js';

/**
 * Notices a database that was removed or replaced while it is open. SQLite goes on with the file it has, which nobody
 * else can see any more: what is written there is lost with the process, so it must not be confirmed.
 */
export class FileIdentity implements Follower {
  private readonly path: string;
  private readonly opened = new Map<string, string>();

  constructor(path: string) {
    this.path = path;
    const opened = identityOf(path);
    if (opened !== undefined) this.opened.set(path, opened);
  }

  /** Throws when what was just written is not in the file under this path. */
  written(): void {
    for (const file of [this.path, `${this.path}-wal`]) {
      const found = identityOf(file);
      const opened = this.opened.get(file) ?? found; // the log is there from the first commit on
      if (found === undefined || found !== opened) throw replaced(this.path, file);
      this.opened.set(file, opened);
    }
  }

  rolledBack(): void {
    // nothing is kept from one transaction to the next
  }
}

function identityOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

function replaced(path: string, file: string): FlyballError {
  return new FlyballError(
    'STORAGE_FAILED',
    `${file} was removed or replaced while it was open. What was just written is not in it and was not confirmed. Stop this process, put the right database back at ${path}, and start again.`,
    { detail: { path, file } },
  );
}
