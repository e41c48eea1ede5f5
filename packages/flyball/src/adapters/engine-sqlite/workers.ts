import { LONGEST_ANNOUNCEMENT_MS, readAnnouncement } from '../../core/announcement.js';
import type { AnnouncedWorker, Announcement } from '../../ports/engine.js';
import type { Database, Row } from './database.js';
import { asBytes, asNumbers, json } from './row.js';

/** Which workers share the file. A row each, which goes with it or is swept up by the next one that comes. */
export class Workers {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  announce(worker: Announcement, { now, forMs }: { readonly now: number; readonly forMs: number }): void {
    const until = now + Math.min(forMs, LONGEST_ANNOUNCEMENT_MS);
    this.database.run('DELETE FROM workers WHERE until <= ? OR id = ?', now, worker.id);
    if (forMs > 0)
      this.database.run(
        'INSERT INTO workers (id, until, worker) VALUES (?, ?, ?)',
        worker.id,
        until,
        JSON.stringify({ ...worker, until } satisfies AnnouncedWorker),
      );
  }

  alive(now: number): readonly AnnouncedWorker[] {
    return this.database
      .all(`SELECT ${asBytes('worker')}, ${asNumbers('until')} FROM workers WHERE until > ? ORDER BY id`, now)
      .flatMap((row) => {
        const worker = readable(row, now);
        return worker === undefined ? [] : [worker];
      });
  }
}

/** A row that is damaged announces nobody; the worker writes a new one soon. */
function readable(row: Row, now: number): AnnouncedWorker | undefined {
  try {
    return readAnnouncement(json<unknown>(row, 'worker'), { until: row['until'], now });
  } catch {
    return undefined;
  }
}
