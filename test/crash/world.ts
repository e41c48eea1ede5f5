import type { Clock, EffectClass, EffectContext } from 'flyball';
import { seededRandom, turns } from 'flyball/testing';
import type { SeededRandom } from '../../packages/flyball/src/testing/seeded-random.js';
import type { StepEffect } from './program.js';

export type Deed = { readonly what: 'made' | 'undone' | 'cancelled'; readonly key: string; readonly kind: string };

/** Something that must not be, seen from outside: which rule, and what was seen. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** What the effects of a crash test do: kept outside every run, so that it knows what really happened. */
export class World {
  /** Everything that really happened, in order. */
  readonly deeds: Deed[] = [];
  readonly violations: Violation[] = [];
  /** Keys of the tool calls that were executed, by run: what a crash or a bound cut off is made again under its key. */
  readonly toolCalls = new Map<string, Set<string>>();
  /** The latest time that each run was told. */
  readonly told = new Map<string, number>();
  /** Forks run mended code, and later processes wider scopes. */
  isMended = false;
  readonly clock: Clock;
  readonly secret: string;
  /** Whether the process that is acting is dead: a dead process does nothing more. */
  isDead: () => boolean = () => false;
  private readonly random: SeededRandom;
  private readonly failing = new Set<string>();
  private readonly undoMs: number;
  /** Keys that are being undone, each with whether the process that does it is dead. */
  private readonly undoing = new Map<string, () => boolean>();
  private readonly counts = { fresh: 0, inFlight: 0 };

  constructor(given: { readonly seed: number; readonly isPrivate: boolean; readonly undoMs: number }, clock: Clock) {
    this.random = seededRandom(given.seed);
    this.undoMs = given.undoMs;
    this.secret = given.isPrivate ? 'SECRET ' : '';
    this.clock = clock;
  }

  made(key: string): number {
    return this.deeds.filter((deed) => deed.what === 'made' && deed.key === key).length;
  }

  /** The last thing that happened under this key: it stands, or it was taken back. */
  last(key: string): Deed['what'] | undefined {
    return this.deeds.findLast((deed) => deed.key === key)?.what;
  }

  /** Every real execution gives another value, as a sampled reply would. */
  fresh(): number {
    return ++this.counts.fresh;
  }

  called(key: string): void {
    const keys = this.toolCalls.get(runOf(key)) ?? new Set();
    this.toolCalls.set(runOf(key), keys.add(key));
  }

  blame(rule: string, detail: string): void {
    this.violations.push({ rule, detail });
  }

  /** The same world as one of several processes finds it: with its own clock, its own pace and its own death. */
  seenBy(process: Pick<World, 'clock' | 'isDead' | 'latency' | 'begins' | 'isOver'>): World {
    return Object.assign(Object.create(this) as World, process);
  }

  /** Somebody begins to act on the world, as an effect or to undo one. */
  begins(_how: EffectContext): void {}

  /** Whether whoever began this is out of the race by now. */
  isOver(_how: EffectContext): () => boolean {
    return this.isDead;
  }

  async latency(): Promise<void> {
    for (let left = this.random.int(4); left > 0; left--) {
      await turns(1);
      this.clock.now(); // whoever looks at the clock is at work: time does not jump meanwhile
    }
  }

  /** A body at work: it takes its time, heeds no signal, and acts unless its process is dead. */
  async execute(
    how: EffectContext,
    { effect, fails, ms }: { readonly effect: StepEffect; readonly fails: boolean; readonly ms: number },
  ): Promise<unknown> {
    const isDead = this.isDead; // of the process this body belongs to
    if (effect !== 'pure') this.begins(how);
    return this.whileInFlight(isDead, async () => {
      await this.latency();
      if (ms > 0) await new Promise<void>((resolve) => void this.clock.after(ms, resolve));
      if (isDead()) return;
      if (fails && this.failing.size % 3 === 0 && !this.failing.has(how.key)) {
        this.failing.add(how.key);
        throw new Error(`the world said no ${this.secret}`);
      }
      if (effect !== 'pure' && !this.makes(how.key, effect)) return `again ${how.key}`;
      const value = `${effect} ${this.secret}${this.fresh()}`;
      await this.latency();
      return value;
    });
  }

  /** False where an idempotent effect finds that it was made already. */
  makes(key: string, kind: string): boolean {
    if ((kind === 'idempotent' || kind === 'compensable') && this.made(key) > 0 && this.last(key) === 'made')
      return false;
    this.deeds.push({ what: 'made', key, kind });
    return true;
  }

  /** Dead processes never answer. */
  async whileInFlight<T>(isDead: () => boolean, work: () => Promise<T>): Promise<T> {
    this.counts.inFlight++;
    try {
      const value = await work();
      return isDead() ? await new Promise<never>(() => {}) : value;
    } finally {
      this.counts.inFlight--;
    }
  }

  /** Bodies that were left behind act in their own time. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 400 && this.counts.inFlight > 0; turn++) await turns(4);
  }

  async undo(how: EffectContext): Promise<void> {
    const { key } = how;
    const isDead = this.isDead;
    this.begins(how);
    if (this.undoing.get(key)?.() === false) this.blame('undo:at-once', `${key} was begun while it was under way`);
    this.undoing.set(key, this.isOver(how));
    await this.latency();
    if (this.undoMs > 0) await new Promise<void>((resolve) => void this.clock.after(this.undoMs, resolve));
    if (isDead()) return new Promise(() => {});
    this.undoing.delete(key);
    this.deeds.push({ what: 'undone', key: key.replace(/!undo$/, ''), kind: '' });
  }

  rules(effect: StepEffect): EffectClass<unknown, unknown> {
    const verify = async (_input: unknown, { key }: EffectContext) =>
      this.made(key) > 0 ? ({ happened: 'yes', result: `verified ${key}` } as const) : ({ happened: 'no' } as const);
    const compensate = (_input: unknown, _result: unknown, how: EffectContext) => this.undo(how);
    switch (effect) {
      case 'idempotent':
        return { class: 'idempotent', timeoutMs: 1000 };
      case 'compensable':
        return { class: 'idempotent', compensate, timeoutMs: 1000 };
      case 'undoable':
        return { class: 'undoable', compensate, verify, timeoutMs: 1000 };
      case 'unverified':
        return { class: 'undoable', compensate, timeoutMs: 1000 };
      case 'irreversible':
        return { class: 'irreversible', verify, timeoutMs: 1000 };
      default:
        return 'pure';
    }
  }
}

export function runOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}

/** How many calls of tools of this run were really executed. */
export function callsOf(world: World, runId: string): number {
  return world.toolCalls.get(runId)?.size ?? 0;
}
