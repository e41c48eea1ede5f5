import type { EventStream, StreamHandler, StreamState } from '../api/event-stream.js';
import { ApiError } from '../api/problem.js';
import type { FromHub, ToHub, Topic, Want } from './hub-messages.js';

/** The way to a hub, for one key. */
export interface HubLine {
  readonly key: string | undefined;
  send(message: ToHub): void;
}

export type OpenLine = (key: string | undefined, hear: (message: FromHub) => void) => HubLine;

interface Followed {
  id: number;
  readonly topic: Topic;
  lastId: string | undefined;
  readonly handler: StreamHandler;
}

/** Longer than it takes to look something up in another tab. */
const HIDDEN_MS = 10_000;
const SAY_MS = 20_000;
/** What could not be handled is asked for again, but not in a circle. */
const AGAIN_MS = 1_000;

/** What this tab follows. All of it comes over the hub; a tab that nobody looks at lets go, and reads on when it is back. */
export class TabStreams {
  private readonly openLine: OpenLine;
  private readonly currentKey: () => string | undefined;
  private readonly followed = new Set<Followed>();
  private line: HubLine | undefined;
  private nextId = 1;
  private isAway = false;
  private hiding: ReturnType<typeof setTimeout> | undefined;
  private saying: ReturnType<typeof setInterval> | undefined;

  constructor(openLine: OpenLine, currentKey: () => string | undefined) {
    this.openLine = openLine;
    this.currentKey = currentKey;
  }

  follow(topic: Topic, lastId: string | undefined, handler: StreamHandler): EventStream {
    const one: Followed = { id: this.nextId++, topic, lastId, handler };
    this.followed.add(one);
    this.tell(one, 'connecting');
    this.say();
    return {
      get lastId() {
        return one.lastId;
      },
      hurry: () => this.line?.send({ kind: 'hurry' }),
      close: () => {
        if (this.drop(one)) this.tell(one, 'closed');
      },
    };
  }

  /** Nobody looks any more. */
  hide(): void {
    clearTimeout(this.hiding);
    this.hiding = setTimeout(() => this.leave(), HIDDEN_MS);
  }

  /** The page goes: a timer would not run any more. */
  leave(): void {
    clearTimeout(this.hiding);
    this.isAway = true;
    this.line?.send({ kind: 'leave' });
  }

  /** Somebody looks again: everything is read on from where it stands. */
  show(): void {
    clearTimeout(this.hiding);
    if (!this.isAway) return;
    this.isAway = false;
    for (const one of this.followed) one.id = this.nextId++;
    this.say();
  }

  hear(message: FromHub): void {
    const one = [...this.followed].find(({ id }) => id === message.id);
    if (one === undefined) return; // let go meanwhile
    if (message.kind === 'event') return this.take(one, message.event);
    const { state, why } = message;
    if (state === 'refused') this.drop(one);
    this.tell(one, state, why === undefined ? undefined : new ApiError(why));
  }

  private take(one: Followed, event: Parameters<StreamHandler['event']>[0]): void {
    try {
      const answer = one.handler.event(event);
      if (event.id !== undefined) one.lastId = event.id;
      if (answer === 'stop' && this.drop(one)) this.tell(one, 'closed');
    } catch {
      // an entry is missing, or could not be read: asked for again from the last one that was good
      one.id = this.nextId++;
      this.tell(one, 'waiting');
      setTimeout(() => this.say(), AGAIN_MS);
    }
  }

  private drop(one: Followed): boolean {
    const was = this.followed.delete(one);
    if (was) this.say();
    return was;
  }

  private say(): void {
    if (this.isAway) return;
    const key = this.currentKey();
    if (this.line === undefined || this.line.key !== key) {
      this.line?.send({ kind: 'leave' });
      this.line = this.openLine(key, (message) => this.hear(message));
    }
    this.line.send({ kind: 'want', key, wants: [...this.followed].map(wantOf) });
    if (this.followed.size > 0) this.saying ??= setInterval(() => this.say(), SAY_MS);
    else {
      clearInterval(this.saying);
      this.saying = undefined;
    }
  }

  private tell({ handler }: Followed, state: StreamState, why?: ApiError): void {
    handler.state?.(state, why);
  }
}

function wantOf({ id, topic, lastId }: Followed): Want {
  return { id, topic, ...(lastId === undefined ? {} : { lastId }) };
}
