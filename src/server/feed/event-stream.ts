import type { Clock } from '../../ports/clock.js';
import { type FeedItem, positionText } from './run-feed.js';

/** Server-sent events of one item. */
export function eventText(item: FeedItem): string {
  switch (item.kind) {
    case 'entry':
      return `id: ${positionText(item.position)}\nevent: entry\ndata: ${item.text}\n\n`;
    case 'delta': {
      const { effect, attempt, delta } = item;
      return namedEvent('delta', { effect, attempt, delta });
    }
    case 'card':
      return namedEvent('card', item.card);
    case 'end':
      return namedEvent('end', { status: item.status });
  }
}

/** JSON holds no line breaks, so that data is always one line. */
export function namedEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface StreamOptions {
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** A reader that has taken nothing for this long is gone. */
  readonly deadMs: number;
  /** Aborted when the client went away or the server closes: the stream ends, and whoever is there comes back. */
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
}

/** Comes back after about this long; spread, so that not all of them come at once. */
const RETRY_MS = 1_000;

/**
 * Texts as the body of an answer. Nothing is read from the source before the reader has taken what came before: a slow
 * reader holds one piece and no more.
 */
export function eventStream(
  source: (signal: AbortSignal) => AsyncIterable<string>,
  options: StreamOptions,
): ReadableStream<Uint8Array> {
  const stream = new PulledStream(source, options);
  return new ReadableStream<Uint8Array>(
    { start: (controller) => stream.start(controller), pull: () => stream.pull(), cancel: () => stream.end() },
    { highWaterMark: 0 },
  );
}

class PulledStream {
  private readonly options: StreamOptions;
  private readonly control = new AbortController();
  private readonly iterator: AsyncIterator<string>;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private next: Promise<IteratorResult<string>> | undefined;
  private stopDeadline: () => void = () => undefined;
  private begun = false;
  private over = false;
  private readonly onAbort = (): void => this.close();

  constructor(source: (signal: AbortSignal) => AsyncIterable<string>, options: StreamOptions) {
    this.options = options;
    this.iterator = source(this.control.signal)[Symbol.asyncIterator]();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    const { signal } = this.options;
    if (signal.aborted) this.close();
    else signal.addEventListener('abort', this.onAbort, { once: true });
  }

  async pull(): Promise<void> {
    this.stopDeadline();
    if (!this.begun) {
      this.begun = true;
      return this.give(`retry: ${RETRY_MS + Math.floor(Math.random() * RETRY_MS)}\n\n`);
    }
    try {
      const got = await this.nextOrHeartbeat();
      if (got === undefined) this.give(': still here\n\n');
      else if (got.done === true) this.close();
      else this.give(got.value);
    } catch (error) {
      this.end();
      this.controller?.error(error);
    }
  }

  /** The stream is over for both sides; nothing is left behind. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.stopDeadline();
    this.options.signal.removeEventListener('abort', this.onAbort);
    this.control.abort();
    // it may be in the middle of a step: it is told to stop, and nobody waits for it
    this.iterator.return?.().catch(() => undefined);
    this.options.onEnd();
  }

  private close(): void {
    if (this.over) return;
    this.end();
    this.controller?.close();
  }

  private give(text: string): void {
    if (this.over) return;
    this.controller?.enqueue(Buffer.from(text));
    this.stopDeadline = this.options.clock.after(this.options.deadMs, () => this.drop(), { keepAlive: false });
  }

  /** Closing would wait for the reader to take what is there, which it does not: the connection is given up. */
  private drop(): void {
    if (this.over) return;
    this.end();
    const gone = new Error('The reader took nothing for too long.');
    gone.stack = gone.message;
    this.controller?.error(gone);
  }

  private async nextOrHeartbeat(): Promise<IteratorResult<string> | undefined> {
    this.next ??= this.iterator.next();
    let cancel = (): void => undefined;
    const beat = new Promise<undefined>((resolve) => {
      cancel = this.options.clock.after(this.options.heartbeatMs, () => resolve(undefined), { keepAlive: false });
    });
    try {
      const got = await Promise.race([this.next, beat]);
      if (got !== undefined) this.next = undefined;
      return got;
    } finally {
      cancel();
    }
  }
}
