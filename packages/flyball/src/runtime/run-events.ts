import type { Entry } from '../core/events.js';
import type { Position, StreamedEvent } from '../core/streamed-event.js';
import type { DeltaListener, EntryListener } from './audience.js';
import type { JournalPart } from './load.js';
import { ReplyTexts } from './reply-texts.js';

/**
 * The events of one run for one reader.
 * 1. Entries are pulled from the journal at the reader's pace, each once and in order: a slow reader holds nothing back.
 * 2. A piece of a reply comes after its `ask-start` and before its `ask-end`.
 * 3. Whatever was durable when the run came to rest is told before the iteration ends.
 */

export interface EventsOptions {
  /** `rest` (the default): ends when `outcome()` is known. `end`: goes on over suspensions, as `finished()` does. */
  readonly until?: 'rest' | 'end';
  /** Tells only what comes after this entry: the `position` of the last event that was seen. */
  readonly after?: Position;
}

/** What is read. */
export interface EventSource {
  entries(part: JournalPart): Promise<readonly Entry[]>;
  subscribe(listener: EntryListener): () => void;
  subscribeDeltas(listener: DeltaListener): () => void;
  rest(until: 'rest' | 'end'): Promise<unknown>;
  /** Another process may be writing: calls back when it is time to look. Returns how to stop. */
  later(look: () => void): () => void;
}

const PAGE = 200;

type Over = { readonly error?: unknown };

/** Each call is a reader of its own. Readers share what they wait for, so that one that breaks off leaves nothing behind. */
export function eventsOf(
  runId: string,
  source: EventSource,
): (options?: EventsOptions) => AsyncIterableIterator<StreamedEvent> {
  const awaited = new Map<'rest' | 'end', { readonly readers: Set<(over: Over) => void> }>();
  const whenOver = (until: 'rest' | 'end', tell: (over: Over) => void): (() => void) => {
    const readers = awaited.get(until)?.readers ?? new Set();
    readers.add(tell);
    if (!awaited.has(until)) {
      awaited.set(until, { readers });
      const all = (over: Over): void => {
        awaited.delete(until);
        for (const reader of readers) reader(over);
      };
      source.rest(until).then(
        () => all({}),
        (error: unknown) => all({ error }),
      );
    }
    return () => readers.delete(tell);
  };
  return ({ until = 'rest', after } = {}) => {
    const reader = new Reader(runId, source, after);
    return reader.iterate((tell) => whenOver(until, tell));
  };
}

class Reader {
  private readonly runId: string;
  private readonly source: EventSource;
  private readonly replies = new ReplyTexts();
  private last: Position | undefined;
  private over: Over | undefined;
  private isClosed = false;
  /** Entries may have come since the journal was read. */
  private isStale = true;
  private wake: () => void = () => undefined;

  constructor(runId: string, source: EventSource, after: Position | undefined) {
    this.runId = runId;
    this.source = source;
    this.last = after;
  }

  iterate(whenOver: (tell: (over: Over) => void) => () => void): AsyncIterableIterator<StreamedEvent> {
    const events = this.events(whenOver);
    const close = events.return.bind(events);
    // a reader that waits hears of its own closing too, and not only when something happens next
    return Object.assign(events, {
      return: (value?: unknown) => {
        this.isClosed = true;
        this.wake();
        return close(value as undefined);
      },
    });
  }

  private async *events(
    whenOver: (tell: (over: Over) => void) => () => void,
  ): AsyncGenerator<StreamedEvent, undefined, undefined> {
    const stops = this.listen(whenOver);
    try {
      while (!this.isClosed) {
        yield* this.written();
        yield* this.replies.take();
        if (this.isStale || this.replies.hasNews || this.isClosed) continue;
        if (this.over === undefined) await this.news();
        // its rest made the journal stale, which has been read since: there is no more
        else if ('error' in this.over) throw this.over.error;
        else return undefined;
      }
      return undefined;
    } finally {
      for (const stop of stops) stop();
    }
  }

  private listen(whenOver: (tell: (over: Over) => void) => () => void): readonly (() => void)[] {
    return [
      this.source.subscribe((id) => id === this.runId && this.look()),
      this.source.subscribeDeltas((id, effect, _attempt, delta) => {
        if (id !== this.runId) return;
        this.replies.hear(effect, delta);
        this.wake();
      }),
      whenOver((over) => {
        this.over = over;
        this.look();
      }),
    ];
  }

  private look(): void {
    this.isStale = true;
    this.wake();
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.source.later(() => this.look());
      this.wake = () => {
        stop();
        resolve();
      };
    });
  }

  private async *written(): AsyncGenerator<StreamedEvent, void, undefined> {
    while (this.isStale && !this.isClosed) {
      this.isStale = false;
      const after = this.last === undefined ? {} : { after: this.last };
      const entries = await this.source.entries({ ...after, limit: PAGE });
      if (entries.length === PAGE) this.isStale = true;
      for (const { generation, seq, at, event } of entries) {
        yield* this.replies.before(event);
        this.last = { generation, seq };
        yield { ...event, at, position: this.last };
      }
    }
  }
}
