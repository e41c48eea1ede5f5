import type { Clock } from 'flyball';
import { positionText } from './position.js';
import type { FeedItem } from './run-feed.js';

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

/** The same item in a stream of several runs. The text of an entry was made once for all readers and is put in as it is. */
export function runEventText(run: string, item: FeedItem): string {
  switch (item.kind) {
    case 'entry': {
      const head = `"run":${JSON.stringify(run)},"event":"entry","id":"${positionText(item.position)}"`;
      return `event: run\ndata: {${head},"data":${item.text}}\n\n`;
    }
    case 'delta': {
      const { effect, attempt, delta } = item;
      return namedEvent('run', { run, event: 'delta', data: { effect, attempt, delta } });
    }
    case 'card':
      return namedEvent('run', { run, event: 'card', data: item.card });
    case 'end':
      return namedEvent('run', { run, event: 'end', data: { status: item.status } });
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
  /** Texts come from many places, and all pass here: what they may not hold is taken out. */
  readonly write: (text: string) => string;
  /** False where coming back would start something anew: the reader is not told when to. */
  readonly resumes?: false;
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
  /** When the reader was last given something. */
  private givenAt: number;
  /** Set while the reader waits for something: called for a heartbeat. */
  private beat: (() => void) | undefined;
  private stopTimer: () => void = () => undefined;
  private begun = false;
  private over = false;
  private readonly onAbort = (): void => this.close();

  constructor(source: (signal: AbortSignal) => AsyncIterable<string>, options: StreamOptions) {
    this.options = options;
    this.givenAt = options.clock.monotonic();
    this.iterator = source(this.control.signal)[Symbol.asyncIterator]();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    const { signal } = this.options;
    if (signal.aborted) return this.close();
    signal.addEventListener('abort', this.onAbort, { once: true });
    this.look();
  }

  async pull(): Promise<void> {
    if (!this.begun && this.options.resumes !== false) {
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
    this.stopTimer();
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
    this.givenAt = this.options.clock.monotonic();
    this.controller?.enqueue(Buffer.from(this.options.write(text)));
  }

  /** One timer for the life of the stream: a reader that waits hears that we are here, one that takes nothing is gone. */
  private look(): void {
    const { clock, heartbeatMs, deadMs } = this.options;
    const quiet = clock.monotonic() - this.givenAt;
    if (this.beat !== undefined && quiet >= heartbeatMs) this.beat();
    else if (this.beat === undefined && quiet >= deadMs) return this.drop();
    this.stopTimer = clock.after(Math.min(heartbeatMs, deadMs), () => this.look(), { keepAlive: false });
  }

  /** Closing would wait for the reader to take what is there, which it does not: the connection is given up. */
  private drop(): void {
    this.end();
    const gone = new Error('The client did not read for too long.');
    gone.stack = gone.message;
    this.controller?.error(gone);
  }

  private async nextOrHeartbeat(): Promise<IteratorResult<string> | undefined> {
    this.next ??= this.iterator.next();
    const beat = new Promise<undefined>((resolve) => {
      this.beat = () => resolve(undefined);
    });
    try {
      const got = await Promise.race([this.next, beat]);
      if (got !== undefined) this.next = undefined;
      return got;
    } finally {
      this.beat = undefined;
    }
  }
}
