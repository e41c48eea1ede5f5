import { FlyballError } from '../../core/errors.js';

interface Waiting {
  readonly go: () => void;
  readonly stop: (reason: unknown) => void;
}

/**
 * A bounded number of things that one caller uses at a time, made when they are first needed; further callers wait in the
 * order in which they came. One that is aborted while it waits leaves the line.
 */
export class Line<T> {
  private readonly free: T[] = [];
  private readonly made: T[] = [];
  private readonly waiting: Waiting[] = [];
  private busy = 0;
  private readonly most: number;
  private readonly maxWaiting: number;
  private readonly make: () => Promise<T>;

  constructor(parts: { readonly most: number; readonly maxWaiting: number; readonly make: () => Promise<T> }) {
    this.most = parts.most;
    this.maxWaiting = parts.maxWaiting;
    this.make = parts.make;
  }

  /** All that there are by now, in use or not. */
  get all(): readonly T[] {
    return this.made;
  }

  /** `suits` says how well one that is free would do: the highest number wins. */
  async use<R>(signal: AbortSignal, suits: (thing: T) => number, work: (thing: T) => Promise<R>): Promise<R> {
    signal.throwIfAborted();
    if (this.busy >= this.most) await this.turn(signal);
    else this.busy += 1;
    try {
      const thing = await this.take(suits);
      try {
        return await work(thing);
      } finally {
        this.free.push(thing);
      }
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.busy -= 1;
      else next.go(); // the place passes on: nobody who comes in between can have it
    }
  }

  /** A new one only where none is free: what callers have left behind in the others takes memory already. */
  private async take(suits: (thing: T) => number): Promise<T> {
    const [best] = [...this.free].sort((a, b) => suits(b) - suits(a));
    if (best !== undefined) {
      this.free.splice(this.free.indexOf(best), 1);
      return best;
    }
    const thing = await this.make();
    this.made.push(thing);
    return thing;
  }

  private turn(signal: AbortSignal): Promise<void> {
    if (this.waiting.length >= this.maxWaiting)
      throw new FlyballError(
        'MODEL_UNAVAILABLE',
        `${this.maxWaiting} calls are waiting for the model already. Start fewer runs at a time.`,
        { retryable: true, detail: { mayHaveCost: false } },
      );
    return new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(place), 1);
        place.stop(signal.reason);
      };
      const settle = (say: () => void): void => {
        signal.removeEventListener('abort', onAbort);
        say();
      };
      const place: Waiting = { go: () => settle(resolve), stop: (reason) => settle(() => reject(reason)) };
      this.waiting.push(place);
      signal.addEventListener('abort', onAbort);
    });
  }
}
