import { FlyballError } from '../core/errors.js';

/**
 * A line in front of one provider.
 *
 * 1. At most `limit` calls are in at a time.
 * 2. Who has waited longest comes next: a place that becomes free is handed over, so nobody who comes later takes it.
 * 3. An abort leaves the line at once and leaves no listener behind.
 */
export class Line {
  private readonly limits: { readonly limit: number; readonly maxWaiting: number };
  private readonly waiting = new Set<() => void>(); // in the order in which they came
  private inside = 0;

  constructor(limits: { readonly limit: number; readonly maxWaiting: number }) {
    this.limits = limits;
  }

  get inFlight(): number {
    return this.inside;
  }

  get length(): number {
    return this.waiting.size;
  }

  /** Resolves when it is the caller's turn; whoever is in has to `leave`. `onWait` hears how many are ahead. */
  async enter(signal: AbortSignal, onWait: (ahead: number) => void): Promise<void> {
    signal.throwIfAborted();
    if (this.inside < this.limits.limit) {
      this.inside++;
      return;
    }
    const ahead = this.waiting.size;
    if (ahead >= this.limits.maxWaiting) throw lineFull(ahead);
    onWait(ahead);
    await this.turn(signal);
  }

  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) this.inside--;
    else next(); // the place passes on without becoming free
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.waiting.delete(mine);
        signal.removeEventListener('abort', aborted);
        settle();
      };
      const mine = (): void => end(resolve);
      const aborted = (): void => end(() => reject(signal.reason));
      this.waiting.add(mine);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}

function lineFull(waiting: number): FlyballError {
  return new FlyballError(
    'MODEL_UNAVAILABLE',
    `${waiting} calls wait for this provider already. Start fewer runs at a time, or raise concurrency.maxWaiting.`,
    { retryable: true, detail: { lineFull: true, waiting } },
  );
}
