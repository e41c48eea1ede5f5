import { type AnnouncedWorker, type Announcement, readAnnouncement } from 'flyball/adapters/engine-kit';
import { LONGEST_ANNOUNCEMENT_MS } from 'flyball/internal';
import type { Identity } from './checks.js';
import type { LeaseClock } from './clock.js';
import type { Desk } from './desk.js';
import type { Row } from './driver.js';
import { restored, stored } from './text.js';

/** Which workers share the database. A row each, which goes with it or is swept up by the next one that comes. */
export class Workers {
  private readonly desk: Desk;
  private readonly s: string;
  private readonly clock: LeaseClock;
  private readonly identity: Identity;

  constructor(desk: Desk, schema: string, clock: LeaseClock, identity: Identity) {
    this.desk = desk;
    this.s = schema;
    this.clock = clock;
    this.identity = identity;
  }

  async announce(worker: Announcement, by: { readonly now: number; readonly forMs: number }): Promise<void> {
    const { now, forMs } = by;
    const sweep = {
      text: `DELETE FROM ${this.s}.workers WHERE until <= ${this.clock.now('$1::float8')} OR (id = $2 AND $3::boolean)`,
      values: [now, worker.id, forMs <= 0],
    };
    const say = {
      text: `INSERT INTO ${this.s}.workers (id, until, worker) VALUES ($1, ${this.clock.until('$2::float8', '$3::float8')}, ${this.identity.only('$4::text')})
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, worker = excluded.worker`,
      values: [worker.id, now, Math.min(forMs, LONGEST_ANNOUNCEMENT_MS), stored(JSON.stringify(worker))],
    };
    // two transactions: rows that are swept by two at once are no reason to wait for each other
    if (forMs > 0) await this.desk.change(undefined, () => [say]);
    await this.desk.change(undefined, () => [sweep]);
  }

  async alive(now: number): Promise<readonly AnnouncedWorker[]> {
    const rows = await this.desk.rows({
      name: 'workers',
      text: `SELECT worker, until, ${this.clock.now('$1::float8')} AS now FROM ${this.s}.workers
        WHERE until > ${this.clock.now('$1::float8')} ORDER BY id`,
      values: [now],
    });
    return rows.flatMap((row) => {
      const worker = announced(row);
      return worker === undefined ? [] : [worker];
    });
  }
}

/** A row that is damaged announces nobody; the worker writes a new one soon. */
function announced(row: Row): AnnouncedWorker | undefined {
  try {
    const worker: unknown = JSON.parse(restored(row['worker'] as string));
    return readAnnouncement(worker, { until: row['until'], now: row['now'] as number });
  } catch {
    return undefined;
  }
}
