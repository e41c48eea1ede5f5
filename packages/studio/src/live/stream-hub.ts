import {
  type Connect,
  type EventStream,
  openStream,
  type StreamOptions,
  type StreamState,
} from '../api/event-stream.js';
import type { ApiProblem } from '../api/problem.js';
import { ApiError } from '../api/problem.js';
import type { StreamEvent } from '../api/sse-parser.js';
import { addressOf, type FromHub, isAfter, type RunEvent, type ToHub, type Topic } from './hub-messages.js';

/** One tab, as the hub sees it. */
export interface HubPort {
  postMessage(message: FromHub): void;
}

interface Subscription {
  readonly port: HubPort;
  readonly id: number;
  readonly topic: Topic;
  lastId: string | undefined;
  /** What it was told last: one that is live hears nothing of a new connection that another tab needs. */
  told: StreamState;
}

interface Tab {
  key: string | undefined;
  heardAt: number;
}

export interface HubOptions {
  readonly connect: (address: string, key: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly stream?: StreamOptions;
  readonly now?: () => number;
}

/** Tabs that open together cost one new connection, not one each. */
const SETTLE_MS = 20;
/** A tab says every few seconds what it wants: one that has not is gone, or asleep and comes back. */
const GONE_MS = 60_000;
const LOOK_MS = 15_000;

/**
 * One stream for any number of tabs. A browser keeps six connections to a server over HTTP/1.1; a stream for each tab
 * would take them all, and a command would wait until a tab is closed.
 */
export class StreamHub {
  private readonly options: HubOptions;
  private readonly tabs = new Map<HubPort, Tab>();
  private subscriptions: Subscription[] = [];
  private stream: EventStream | undefined;
  /** What the open connection tells of. */
  private followed = new Set<Topic>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private looking: ReturnType<typeof setInterval> | undefined;

  constructor(options: HubOptions) {
    this.options = options;
  }

  hear(port: HubPort, message: ToHub): void {
    switch (message.kind) {
      case 'leave':
        return this.leave(port);
      case 'hurry':
        return this.stream?.hurry();
      case 'want':
        return this.want(port, message);
    }
  }

  private want(port: HubPort, { key, wants }: ToHub & { readonly kind: 'want' }): void {
    this.tabs.set(port, { key, heardAt: this.now() });
    this.looking ??= setInterval(() => this.look(), LOOK_MS);
    const ids = new Set(wants.map(({ id }) => id));
    const kept = this.subscriptions.filter((one) => one.port !== port || ids.has(one.id));
    const known = new Set(kept.flatMap((one) => (one.port === port ? [one.id] : [])));
    const added = wants
      .filter(({ id }) => !known.has(id))
      .map(({ id, topic, lastId }) => ({ port, id, topic, lastId, told: 'connecting' as StreamState }));
    this.subscriptions = [...kept, ...added];
    if (added.length > 0 || this.hasIdle()) this.connectSoon();
  }

  private leave(port: HubPort): void {
    this.tabs.delete(port);
    this.subscriptions = this.subscriptions.filter((one) => one.port !== port);
    if (this.hasIdle()) this.connectSoon();
    if (this.tabs.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  /** The connection tells of something that nobody wants any more. */
  private hasIdle(): boolean {
    const wanted = new Set(this.subscriptions.map(({ topic }) => topic));
    return [...this.followed].some((topic) => !wanted.has(topic));
  }

  private look(): void {
    for (const [port, { heardAt }] of this.tabs) if (this.now() - heardAt > GONE_MS) this.leave(port);
  }

  private connectSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.connect();
    }, SETTLE_MS);
  }

  private connect(): void {
    const before = this.stream;
    this.stream = undefined;
    before?.close();
    this.followed = new Set();
    if (this.subscriptions.length === 0) return;
    const connect: Connect = (_lastId, signal) => {
      this.followed = new Set(this.subscriptions.map(({ topic }) => topic));
      // the newest key: one that was just given replaces one that was refused
      const key = [...this.tabs.values()].at(-1)?.key;
      return this.options.connect(addressOf(this.subscriptions), key, signal);
    };
    const stream: EventStream = openStream(connect, this.options.stream ?? {}, {
      event: (event) => this.pass(event),
      state: (state, why) => {
        if (state === 'closed') return;
        for (const one of this.subscriptions) {
          if (state === one.told || (state === 'connecting' && one.told === 'open')) continue;
          one.told = state;
          one.port.postMessage({
            id: one.id,
            kind: 'state',
            state,
            ...(why === undefined ? {} : { why: why.problem }),
          });
        }
        if (state === 'refused') this.subscriptions = [];
      },
    });
    this.stream = stream;
  }

  private pass({ event, data }: StreamEvent): undefined {
    if (event === 'run') this.passRun(JSON.parse(data) as RunEvent);
    else
      for (const one of this.on('cards')) one.port.postMessage({ id: one.id, kind: 'event', event: { event, data } });
    return undefined;
  }

  private passRun({ run, event, id, data }: RunEvent): void {
    const topic: Topic = `run:${run}`;
    if (event === 'refused' || event === 'end') this.followed.delete(topic); // the server is done with it
    for (const one of this.on(topic)) {
      if (event === 'refused') {
        const why = new ApiError(data as ApiProblem).problem;
        one.port.postMessage({ id: one.id, kind: 'state', state: 'refused', why });
        this.subscriptions = this.subscriptions.filter((other) => other !== one);
        continue;
      }
      if (id !== undefined) {
        if (!isAfter(id, one.lastId)) continue; // told again for another tab that knows less
        one.lastId = id;
      }
      const told = { event, data: JSON.stringify(data), ...(id === undefined ? {} : { id }) };
      one.port.postMessage({ id: one.id, kind: 'event', event: told });
    }
  }

  private on(topic: Topic): readonly Subscription[] {
    return this.subscriptions.filter((one) => one.topic === topic);
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }
}
