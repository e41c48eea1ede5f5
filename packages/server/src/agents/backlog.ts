import type { Clock, Engine } from 'flyball';
import { Problem } from '../problem.js';

/** Storage is asked at most this often; what this server started since then is counted here. */
const LOOK_EVERY_MS = 1_000;
const RETRY_AFTER_S = 5;

interface Look {
  readonly at: number;
  readonly waiting: Promise<ReadonlyMap<string, number>>;
  readonly started: Map<string, number>;
}

/** Back-pressure: a tenant whose runs wait for workers in their thousands starts no more until some were taken. */
export class Backlog {
  private readonly engine: Pick<Engine, 'queue'>;
  private readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  private readonly most: number;
  private last: Look | undefined;

  constructor(parts: {
    readonly engine: Pick<Engine, 'queue'>;
    readonly clock: Pick<Clock, 'now' | 'monotonic'>;
    readonly maxQueue: number;
  }) {
    this.engine = parts.engine;
    this.clock = parts.clock;
    this.most = parts.maxQueue;
  }

  /** Counts one more run of this tenant, or rejects with QUEUE_FULL (429) and counts nothing. */
  async admit(tenant: string): Promise<void> {
    const look = this.look();
    const waiting = (await look.waiting).get(tenant) ?? 0;
    const started = look.started.get(tenant) ?? 0;
    if (waiting + started < this.most) return void look.started.set(tenant, started + 1);
    throw new Problem(429, 'QUEUE_FULL', `${waiting + started} runs of this tenant already wait for a worker.`, {
      retryable: true,
      next: `Try again in ${RETRY_AFTER_S} seconds. If this continues, start more workers or raise --max-queue.`,
      headers: { 'retry-after': String(RETRY_AFTER_S) },
    });
  }

  private look(): Look {
    const at = this.clock.monotonic();
    if (this.last !== undefined && at - this.last.at < LOOK_EVERY_MS) return this.last;
    const waiting = this.engine.queue(this.clock.now()).then((lines) => {
      const byTenant = new Map<string, number>();
      for (const { tenant, runs } of lines) byTenant.set(tenant, (byTenant.get(tenant) ?? 0) + runs);
      return byTenant;
    });
    const look = { at, waiting, started: new Map<string, number>() };
    this.last = look;
    waiting.catch(() => {
      if (this.last === look) this.last = undefined; // whoever asks next looks again
    });
    return look;
  }
}
