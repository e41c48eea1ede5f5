import { FlyballError } from 'flyball';
import type { SeededRandom } from 'flyball/testing';
import type { Engine } from '../../packages/flyball/src/ports/engine.js';
import type { Timeline } from './timeline.js';

/** One end of the line between a machine and the storage. */
export interface End {
  readonly name: string;
  isDead(): boolean;
  /** Nothing gets through. */
  isCut(): boolean;
  /** How much of what is sent gets lost, comes late, or comes twice. */
  loss(): number;
  /** Lets something from outside reach the machine: at once, when it goes on, or never. */
  enter(callback: () => void): void;
  /** A write to this run is about to be made or was made: the machine may die of it. */
  passes(when: 'before' | 'after', runId: string | undefined): void;
}

const WRITES: ReadonlySet<string> = new Set([
  'create',
  'claim',
  'take',
  'append',
  'renew',
  'release',
  'post',
  'requeue',
]);
/** What a driver sends again by itself, because the storage knows it by its place, its fence or its id. */
const REPEATABLE: ReadonlySet<string> = new Set(['append', 'renew', 'release', 'post', 'announce']);
/** Those of one run arrive in the order in which they were sent. */
const ORDERED: ReadonlySet<string> = new Set(['append', 'release']);

const PATIENCE_MS = 5_000;

/** The storage as one machine sees it: over a line that is slow, loses and repeats what is sent. */
export class Line {
  readonly engine: Engine;
  private readonly inner: Engine;
  private readonly end: End;
  private readonly timeline: Timeline;
  private readonly random: SeededRandom;
  private readonly latencyMs: () => number;
  private readonly trace: (line: string) => void;
  private readonly arrivedUnheard: (op: string, runId: string | undefined) => void;
  private readonly goesAstray: () => void;
  /** When the last ordered request of each run arrives. */
  private readonly arrivals = new Map<string, number>();
  /** What to tell those that still wait for an answer when the machine dies: their code must not wait for ever. */
  private readonly open = new Set<(error: Error) => void>();

  constructor(parts: {
    readonly inner: Engine;
    readonly end: End;
    readonly timeline: Timeline;
    readonly random: SeededRandom;
    readonly latencyMs: () => number;
    readonly trace: (line: string) => void;
    /** A write has arrived whose sender has been told that nobody knows. */
    readonly arrivedUnheard: (op: string, runId: string | undefined) => void;
    /** A request or its answer gets lost, or is late. */
    readonly goesAstray: () => void;
  }) {
    this.inner = parts.inner;
    this.end = parts.end;
    this.timeline = parts.timeline;
    this.random = parts.random;
    this.latencyMs = parts.latencyMs;
    this.trace = parts.trace;
    this.arrivedUnheard = parts.arrivedUnheard;
    this.goesAstray = parts.goesAstray;
    this.engine = this.wired();
  }

  /** Nobody hears these answers: they only let the code of a dead machine come to its end. */
  die(): void {
    for (const reject of this.open) reject(dead());
    this.open.clear();
  }

  private wired(): Engine {
    const { inner } = this;
    const methods = Object.entries(inner).flatMap(([name, value]) =>
      typeof value !== 'function' || name === 'watch' || name === 'close'
        ? []
        : [[name, (...given: unknown[]) => this.send(name, given, value as never)]],
    );
    return { ...inner, ...Object.fromEntries(methods), watch: (listener: Listener) => this.watch(listener) } as Engine;
  }

  private send(op: string, given: unknown[], value: (...given: unknown[]) => Promise<unknown>): Promise<unknown> {
    this.timeline.use();
    if (this.end.isDead()) return Promise.reject(dead());
    const isWrite = WRITES.has(op);
    const runId = isWrite ? runOf(given[0]) : undefined;
    return new Promise((resolve, reject) => {
      let stopWaiting = (): void => undefined;
      const settle = (tell: () => void): void => {
        if (!this.open.delete(reject)) return; // it was told something already
        stopWaiting();
        this.timeline.use();
        tell();
      };
      this.open.add(reject);
      const apply = async (answer: (tell: () => void) => void): Promise<void> => {
        this.timeline.use();
        const wasDead = this.end.isDead();
        if (wasDead && this.random.int(2) === 0) return; // what a killed process had sent got out, or not
        if (!wasDead && op === 'append') this.end.passes('before', runId);
        if (!wasDead && this.end.isDead()) return;
        const outcome = await value(...given).then(
          (result) => () => resolve(result),
          (error: unknown) => () => reject(error),
        );
        if (op === 'append') this.end.passes('after', runId);
        if (isWrite && !this.open.has(reject)) this.arrivedUnheard(op, runId);
        answer(() => this.end.enter(() => settle(outcome)));
      };
      const giveUp = (why: () => FlyballError): void => {
        stopWaiting = this.timeline.after(PATIENCE_MS, () => this.end.enter(() => settle(() => reject(why()))));
      };
      this.carry(op, runId, { apply, giveUp, isWrite });
    });
  }

  private carry(op: string, runId: string | undefined, sent: Sent): void {
    const { random, timeline } = this;
    const fate = this.fateOf(op);
    if (fate !== 'arrives') {
      this.trace(`${this.end.name} ${op} ${runId ?? ''} ${fate}`);
      this.goesAstray();
    }
    const late = (): FlyballError => (sent.isWrite ? uncertain(op) : unreachable(op));
    if (fate === 'refused') return sent.giveUp(() => unreachable(op));
    if (fate === 'lost') return sent.giveUp(late);
    const { there, isBehind } = this.delay(op, runId, fate === 'late' ? PATIENCE_MS + random.int(20_000) : undefined);
    const back = this.oneWay();
    const told = (tell: () => void): void => {
      if (this.end.isCut()) return;
      if (back === 0) tell();
      else timeline.after(back, tell);
    };
    const answer = fate === 'unanswered' || fate === 'resent' ? () => undefined : told;
    if (there === 0 && !isBehind) void sent.apply(answer);
    else timeline.after(there, () => void sent.apply(answer));
    const isAtOnce = there === 0 && !isBehind && back === 0;
    if (fate !== 'arrives' || !isAtOnce) sent.giveUp(late); // the answer gets lost, or may be cut off
    if (fate === 'twice') timeline.after(there + random.int(20_000), () => void sent.apply(() => undefined));
    if (fate === 'resent') timeline.after(there + 1 + random.int(PATIENCE_MS - 1), () => void sent.apply(told));
  }

  private fateOf(op: string): 'arrives' | 'refused' | 'lost' | 'late' | 'unanswered' | 'twice' | 'resent' {
    const { random } = this;
    if (this.end.isCut()) return random.int(2) === 0 ? 'refused' : 'lost';
    const loss = this.end.loss();
    if (loss === 0 || random() >= loss) return 'arrives';
    const fates = ['refused', 'lost', 'late', 'unanswered', 'unanswered'] as const;
    return REPEATABLE.has(op) && random.int(2) === 0 ? random.pick(['twice', 'resent']) : random.pick(fates);
  }

  private oneWay(): number {
    const most = this.latencyMs();
    return most === 0 || this.random.int(3) > 0 ? 0 : this.random.int(most);
  }

  /** Ordered requests get in line, also behind one that arrives at this very moment and has not yet. */
  private delay(op: string, runId: string | undefined, given: number | undefined): Journey {
    const ms = given ?? this.oneWay();
    if (runId === undefined || !ORDERED.has(op)) return { there: ms, isBehind: false };
    const { now } = this.timeline;
    const last = this.arrivals.get(runId) ?? 0;
    const arrives = Math.max(now + ms, last);
    this.arrivals.set(runId, arrives);
    return { there: arrives - now, isBehind: last >= now };
  }

  /** What the storage tells by itself may be late or get lost: workers look around all the same. */
  private watch(listener: Listener): () => void {
    return this.inner.watch((runId) => {
      if (this.end.isDead() || this.end.isCut() || this.random() < this.end.loss()) return;
      const ms = this.oneWay();
      const tell = (): void => this.end.enter(() => listener(runId));
      if (ms === 0) tell();
      else this.timeline.after(ms, tell);
    });
  }
}

type Listener = (runId?: string) => void;

interface Journey {
  /** How long it takes to arrive. */
  readonly there: number;
  /** Another one arrives before it. */
  readonly isBehind: boolean;
}

interface Sent {
  readonly apply: (answer: (tell: () => void) => void) => Promise<void>;
  readonly giveUp: (why: () => FlyballError) => void;
  readonly isWrite: boolean;
}

function runOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const { runId, id } = (given ?? {}) as { readonly runId?: string; readonly id?: string };
  return runId ?? id;
}

function uncertain(op: string): FlyballError {
  return new FlyballError('STORAGE_UNCERTAIN', `Whether ${op} was made is not known.`, { retryable: false });
}

function unreachable(op: string): FlyballError {
  return new FlyballError('STORAGE_BUSY', `The storage could not be reached for ${op}. Nothing was written.`, {
    retryable: true,
  });
}

function dead(): FlyballError {
  return new FlyballError('STORAGE_FAILED', 'This machine is dead.');
}
