import { type ApiError, problemIn, unreachableServer } from './problem.js';
import { SseParser, type StreamEvent } from './sse-parser.js';

/** `waiting` is between two connections; `refused` and `closed` are final. */
export type StreamState = 'connecting' | 'open' | 'waiting' | 'refused' | 'closed';

export interface StreamHandler {
  /** Answers `stop` when it has seen the last event it wants. What it throws ends the connection and is tried again. */
  event(event: StreamEvent): 'stop' | undefined;
  state?(state: StreamState, why?: ApiError): void;
}

export interface StreamOptions {
  /** Where to go on: the id of the last event that was received. */
  readonly lastId?: string;
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
  /** Heartbeats come more often: a connection that is silent for longer is dead. */
  readonly silenceMs?: number;
}

/** Opens one connection that goes on after `lastId`. */
export type Connect = (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;

export interface EventStream {
  close(): void;
  /** Tries again now instead of at the end of the delay: the network is back, or the page is looked at again. */
  hurry(): void;
  readonly lastId: string | undefined;
}

/** Reads a stream for as long as somebody wants it: lost connections are opened again after the last id received. */
export function openStream(connect: Connect, options: StreamOptions, handler: StreamHandler): EventStream {
  const stream = new Stream(connect, options, handler);
  stream.start();
  return stream;
}

class Stream implements EventStream {
  lastId: string | undefined;
  private readonly connect: Connect;
  private readonly handler: StreamHandler;
  private readonly firstDelayMs: number;
  private readonly longestDelayMs: number;
  private readonly silenceMs: number;
  private delayMs: number;
  private ended = false;
  private connection: AbortController | undefined;
  private wake: (() => void) | undefined;

  constructor(connect: Connect, options: StreamOptions, handler: StreamHandler) {
    this.connect = connect;
    this.handler = handler;
    this.lastId = options.lastId;
    this.firstDelayMs = options.firstDelayMs ?? 500;
    this.longestDelayMs = options.longestDelayMs ?? 15_000;
    this.silenceMs = options.silenceMs ?? 45_000;
    this.delayMs = this.firstDelayMs;
  }

  start(): void {
    void this.run();
  }

  close(): void {
    if (this.ended) return;
    this.end('closed');
  }

  hurry(): void {
    this.wake?.();
  }

  private async run(): Promise<void> {
    while (!this.ended) {
      this.tell('connecting');
      const why = await this.connectOnce();
      if (this.ended) return;
      if (why !== undefined && isFinal(why)) return this.end('refused', why);
      this.tell('waiting', why);
      await this.pause();
    }
  }

  /** One connection from its first to its last byte; answers why it ended, where it did not just close. */
  private async connectOnce(): Promise<ApiError | undefined> {
    const connection = new AbortController();
    this.connection = connection;
    const watch = new Silence(this.silenceMs, () => connection.abort());
    try {
      const response = await this.connect(this.lastId, connection.signal);
      if (!response.ok) return await problemIn(response);
      if (response.body === null) return undefined;
      this.tell('open');
      await this.read(response.body, watch);
      return undefined;
    } catch (error) {
      return unreachableServer(error);
    } finally {
      watch.stop();
      connection.abort();
    }
  }

  private async read(body: ReadableStream<Uint8Array>, watch: Silence): Promise<void> {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.ended) return;
      watch.heard();
      this.delayMs = this.firstDelayMs;
      for (const event of parser.feed(decoder.decode(value, { stream: true }))) {
        if (this.ended) return;
        const answer = this.handler.event(event);
        // only now: an event that could not be handled is asked for again
        if (event.id !== undefined) this.lastId = event.id;
        if (answer === 'stop') return this.end('closed');
      }
      if (parser.retryMs !== undefined) this.delayMs = Math.min(parser.retryMs, this.longestDelayMs);
    }
  }

  private async pause(): Promise<void> {
    const delay = spread(this.delayMs, Date.now());
    this.delayMs = Math.min(this.delayMs * 2, this.longestDelayMs);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }

  private end(state: 'closed' | 'refused', why?: ApiError): void {
    this.ended = true;
    this.connection?.abort();
    this.wake?.();
    this.handler.state?.(state, why);
  }

  private tell(state: StreamState, why?: ApiError): void {
    if (!this.ended) this.handler.state?.(state, why);
  }
}

/** Calls once when nothing was heard for a while. */
class Silence {
  private readonly ms: number;
  private readonly onSilence: () => void;
  private timer: ReturnType<typeof setTimeout>;

  constructor(ms: number, onSilence: () => void) {
    this.ms = ms;
    this.onSilence = onSilence;
    this.timer = setTimeout(onSilence, ms);
  }

  heard(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onSilence, this.ms);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

/** Other credentials, or another address, are needed: trying the same again gives the same. */
function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Tabs that lost the same server do not all come back in the same instant. */
function spread(delayMs: number, now: number): number {
  return Math.round(delayMs * (0.75 + (now % 500) / 1000));
}
