import type { AnnouncedWorker, Announcement } from 'flyball/adapters/engine-kit';
import type { LeaseClock } from './clock.js';
import type { Desk } from './desk.js';
import { restored, stored } from './text.js';

/** Which workers share the database. A row each, which goes with it or is swept up by the next one that comes. */
export class Workers {
  private readonly desk: Desk;
  private readonly s: string;
  private readonly clock: LeaseClock;

  constructor(desk: Desk, schema: string, clock: LeaseClock) {
    this.desk = desk;
    this.s = schema;
    this.clock = clock;
  }

  async announce(worker: Announcement, by: { readonly now: number; readonly forMs: number }): Promise<void> {
    const { now, forMs } = by;
    const sweep = {
      text: `DELETE FROM ${this.s}.workers WHERE until <= ${this.clock.now('$1::float8')} OR (id = $2 AND $3::boolean)`,
      values: [now, worker.id, forMs <= 0],
    };
    const say = {
      text: `INSERT INTO ${this.s}.workers (id, until, worker) VALUES ($1, ${this.clock.until('$2::float8', '$3::float8')}, $4)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, worker = excluded.worker`,
      values: [worker.id, now, forMs, stored(JSON.stringify(worker))],
    };
    // two transactions: rows that are swept by two at once are no reason to wait for each other
    await this.desk.ask(sweep);
    if (forMs > 0) await this.desk.ask(say);
  }

  async alive(now: number): Promise<readonly AnnouncedWorker[]> {
    const rows = await this.desk.rows({
      name: 'workers',
      text: `SELECT worker, until FROM ${this.s}.workers WHERE until > ${this.clock.now('$1::float8')} ORDER BY id`,
      values: [now],
    });
    return rows.flatMap((row) => {
      const worker = announced(row['worker'] as string);
      return worker === undefined ? [] : [{ ...worker, until: row['until'] as number }];
    });
  }
}

/** A row that is damaged announces nobody; the worker writes a new one soon. */
function announced(text: string): Announcement | undefined {
  try {
    const worker = JSON.parse(restored(text)) as Partial<Announcement> | null;
    const isWorker = typeof worker?.id === 'string' && typeof worker.agents === 'object' && worker.owner !== undefined;
    return isWorker && worker.agents !== null ? (worker as Announcement) : undefined;
  } catch {
    return undefined;
  }
}
