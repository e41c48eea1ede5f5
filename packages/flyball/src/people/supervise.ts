import { ConfigError, failureOf } from '../core/errors.js';
import type { Entry } from '../core/events.js';
import type { Runtime } from '../runtime/runtime.js';

/**
 * interrupt: the run is paused at its next safe point. alert: somebody is told now. summary: told with the next summary.
 */
export type TriggerTier = 'interrupt' | 'alert' | 'summary';

/** Why a monitor reacts, and how strongly. */
export interface Trigger {
  readonly tier: TriggerTier;
  readonly why: string;
}

/** A trigger and the entry it fired on; absent where the watching itself gave way. */
export interface Fired extends Trigger {
  readonly entry?: Entry;
}

/** Options of `supervise`: the monitor and what to do when it triggers. */
export interface SuperviseOptions {
  /**
   * Looks at one entry and those before it. It may take its time, and ask a model of its own: the run does not wait for
   * it. One that throws interrupts the run, because nobody watches it any more.
   */
  monitor(entry: Entry, window: readonly Entry[]): Trigger | undefined | Promise<Trigger | undefined>;
  /** How many entries the monitor sees, this one included. 20 where it is absent. */
  readonly windowSize?: number;
  readonly onTrigger?: {
    /** After the run was asked to pause. */
    interrupt?(fired: Fired): void;
    alert?(fired: Fired): void;
    /** Everything of this tier since the last summary, and alerts beyond `maxAlerts`. */
    summary?(fired: readonly Fired[]): void;
  };
  /** Entries between two summaries. 100 where it is absent. */
  readonly summaryEvery?: number;
  /** Alerts between two summaries; more than this nobody reads, so the others wait for the summary. 10 where absent. */
  readonly maxAlerts?: number;
  /** `start` has the monitor look at what the journal holds already; `now` only shows it in the window. */
  readonly from?: 'now' | 'start';
  /** Who supervises, for the journal. */
  readonly by?: string;
  /** An entry that must interrupt: `drill` asks the monitor about it. */
  readonly drillEntry?: Entry;
}

/** The result of testing a monitor. */
export interface DrillReport {
  readonly ok: boolean;
  /** The run came to rest paused, and went on. */
  readonly paused: boolean;
  /**
   * What the drill met. paused: a run at work, which it interrupted. waiting: one that only waits for somebody, so that
   * there was nothing to interrupt and nothing is shown; its pause was taken back. held: one that somebody had paused,
   * which stays paused. over: one that came to its end or to a bound first.
   */
  readonly met: 'paused' | 'waiting' | 'held' | 'over';
  /** Whether the monitor fired on the drill's entry. */
  readonly monitor: 'fired' | 'silent' | 'not tried';
  readonly why: string;
}

/** A hand on a run. Watching happens where the run runs; pause, redirect and abort reach it anywhere. */
export interface Supervision {
  /** At the next safe point: what is in flight ends, nothing new starts. */
  pause(): Promise<void>;
  /** Lets it go on, with something to do differently where one is given. */
  resume(instruction?: string): Promise<void>;
  /** Tells it what to do differently, without stopping it. */
  redirect(instruction: string): Promise<void>;
  /** Cancels the run; what it did is undone. */
  abort(why: string): Promise<void>;
  /** Really interrupts the run and lets it go on: the way of finding out that it would work. */
  drill(): Promise<DrillReport>;
  /** False after a failed drill, or when the monitor gave way. */
  healthy(): boolean;
  fired(): readonly Fired[];
  /** Resolves when everything seen so far was looked at; rejects where the run could not be reached. */
  settled(): Promise<void>;
  /** Stops watching; the run goes on. */
  stop(): void;
}

type Watched = Pick<Runtime, 'subscribe' | 'entries' | 'pause' | 'resume' | 'redirect' | 'cancel' | 'handle' | 'get'>;

/** Entries that may wait for a slow monitor: beyond this it is no longer watching, only reading history. */
const MOST_WAITING = 10_000;
const MOST_FIRED = 1_000;

/** Watches a run without slowing it down, and pauses it when a trigger fires. */
export function supervise(runtime: Watched, runId: string, options: SuperviseOptions): Supervision {
  return new Watch(runtime, runId, options);
}

/** Why a drill shows less than it should. A fault is one of the supervision itself. */
interface Shortfall {
  readonly text: string;
  readonly isFault?: true;
}

class Watch implements Supervision {
  private readonly runtime: Watched;
  private readonly runId: string;
  private readonly options: Required<Pick<SuperviseOptions, 'windowSize' | 'summaryEvery' | 'maxAlerts' | 'by'>> &
    SuperviseOptions;
  private readonly unsubscribe: () => void;
  private readonly window: Entry[] = [];
  private readonly told: Fired[] = [];
  private readonly held: Fired[] = [];
  private seen = '';
  private waiting = 0;
  private sinceSummary = 0;
  private alerts = 0;
  private isHealthy = true;
  private isStopped = false;
  private hasBegun = false;
  private work: Promise<void> = Promise.resolve();
  private problem: { readonly error: unknown } | undefined;

  constructor(runtime: Watched, runId: string, options: SuperviseOptions) {
    this.runtime = runtime;
    this.runId = runId;
    this.options = { windowSize: 20, summaryEvery: 100, maxAlerts: 10, by: 'supervisor', ...options };
    for (const what of ['windowSize', 'summaryEvery', 'maxAlerts'] as const) {
      const value = this.options[what];
      if (!Number.isInteger(value) || value < 1 || value > 10_000)
        throw new ConfigError(`${what} is ${value}. It must be a whole number from 1 to 10000.`);
    }
    this.unsubscribe = runtime.subscribe((id, entries) => {
      if (id === runId) this.take(entries);
    });
    this.next(() => this.begin(this.options.from ?? 'now'));
  }

  async pause(): Promise<void> {
    await this.runtime.pause(this.runId, { by: this.options.by });
  }

  async resume(instruction?: string): Promise<void> {
    if (instruction !== undefined) await this.redirect(instruction);
    await this.runtime.resume(this.runId, { by: this.options.by });
  }

  async redirect(instruction: string): Promise<void> {
    await this.runtime.redirect(this.runId, instruction, { by: this.options.by });
  }

  async abort(why: string): Promise<void> {
    await this.runtime.cancel(this.runId, { by: this.options.by, why });
  }

  async drill(): Promise<DrillReport> {
    const monitor = await this.drillMonitor();
    const { met, why } = await this.drillPause();
    const silent = monitor === 'silent' ? ['the monitor did not interrupt at the entry that must interrupt.'] : [];
    const ok = met === 'paused' && why === undefined && monitor !== 'silent';
    // a run that waits or is held says nothing about whether it could be interrupted
    if (met === 'over' || why?.isFault === true || monitor === 'silent') this.isHealthy = false;
    const said = [...(why === undefined ? [] : [why.text]), ...silent].join(' ');
    return { ok, paused: met === 'paused', met, monitor, why: ok ? 'it paused and continued' : said };
  }

  healthy(): boolean {
    return this.isHealthy;
  }

  fired(): readonly Fired[] {
    return [...this.told];
  }

  async settled(): Promise<void> {
    for (let work = this.work; ; work = this.work) {
      await work;
      if (work === this.work) break;
    }
    const { problem } = this;
    this.problem = undefined;
    if (problem !== undefined) throw problem.error;
  }

  stop(): void {
    this.isStopped = true;
    this.unsubscribe();
    this.summarise();
  }

  /** One thing after the other. What fails here is told to whoever asks, and shows in `healthy`. */
  private next(job: () => Promise<void>): void {
    this.work = this.work.then(job).catch((error: unknown) => {
      this.isHealthy = false;
      this.problem ??= { error };
    });
  }

  private async drillMonitor(): Promise<DrillReport['monitor']> {
    const { drillEntry, monitor } = this.options;
    if (drillEntry === undefined) return 'not tried';
    const fired = await monitor(drillEntry, [...this.window.slice(1 - this.options.windowSize), drillEntry]);
    return fired?.tier === 'interrupt' ? 'fired' : 'silent';
  }

  private async drillPause(): Promise<Pick<DrillReport, 'met'> & { readonly why?: Shortfall }> {
    if ((await this.runtime.get(this.runId)).status === 'paused')
      return { met: 'held', why: { text: 'somebody has paused the run: it stays paused.' } };
    await this.pause();
    const rest = await this.runtime.handle(this.runId).outcome();
    if (rest.stop !== 'suspended')
      return { met: 'over', why: { text: `the run ended as ${rest.stop} instead of paused.` } };
    const met = rest.paused === true ? 'paused' : 'waiting';
    const left = await this.takeBack();
    if (left !== undefined) return { met, why: { text: left, isFault: true } };
    return met === 'paused'
      ? { met }
      : { met, why: { text: 'the run is only waiting for somebody, so there was nothing to interrupt.' } };
  }

  /** A pause that stayed behind would stop the run at its next step, long after the drill. */
  private async takeBack(): Promise<string | undefined> {
    try {
      await this.resume();
      return undefined;
    } catch (error) {
      const { code, message } = failureOf(error);
      if (code === 'ALREADY_TERMINAL') return undefined;
      return `the pause could not be undone (${message}). Resume the run where it is loaded.`;
    }
  }

  /** Reads what is there already; a run that is about to be started is watched from its first entry on. */
  private async begin(from: 'now' | 'start'): Promise<void> {
    try {
      for (const entry of await this.runtime.entries(this.runId)) {
        if (from === 'start') await this.look(entry);
        else this.show(entry);
      }
      this.hasBegun = true;
    } catch (error) {
      const { code, message } = failureOf(error);
      if (code !== 'RUN_NOT_FOUND') await this.giveWay(`the journal cannot be read: ${message}`);
    }
  }

  /** Called by the run's own process when entries are durable: only puts them in line. */
  private take(entries: readonly Entry[]): void {
    this.waiting += entries.length;
    if (this.waiting > MOST_WAITING) {
      this.isStopped = true;
      this.unsubscribe();
      this.work = Promise.resolve(); // what it hangs in may never end: the run is interrupted without it
      return this.next(() => this.giveWay(`the monitor is ${MOST_WAITING} entries behind`));
    }
    this.next(async () => {
      if (!this.hasBegun || this.hasGap(entries)) await this.begin('start');
      for (const entry of entries) {
        this.waiting--;
        if (!this.isStopped) await this.look(entry);
      }
    });
  }

  /** What lets a resting run go on is written before anybody listens to it again. */
  private hasGap([first]: readonly Entry[]): boolean {
    const last = this.window.at(-1);
    if (first === undefined || last === undefined) return false;
    return first.generation === last.generation ? first.seq > last.seq + 1 : first.seq > 0;
  }

  private show(entry: Entry): boolean {
    const at = positionOf(entry);
    if (at <= this.seen) return false; // it was in the journal that was read at the start
    this.seen = at;
    this.window.push(entry);
    if (this.window.length > this.options.windowSize) this.window.shift();
    return true;
  }

  private async look(entry: Entry): Promise<void> {
    if (!this.show(entry)) return;
    try {
      const trigger = await this.options.monitor(entry, [...this.window]);
      if (trigger !== undefined) await this.fire({ ...trigger, entry });
    } catch (error) {
      await this.giveWay(`the monitor failed: ${failureOf(error).message}`);
    }
    if (++this.sinceSummary >= this.options.summaryEvery) this.summarise();
  }

  /** A run that nobody watches any more is not let go on by itself. */
  private async giveWay(why: string): Promise<void> {
    this.isHealthy = false;
    await this.fire({ tier: 'interrupt', why });
  }

  private async fire(fired: Fired): Promise<void> {
    if (this.told.length < MOST_FIRED) this.told.push(fired);
    switch (fired.tier) {
      case 'interrupt':
        await this.pauseUnlessOver();
        return this.options.onTrigger?.interrupt?.(fired);
      case 'alert':
        if (++this.alerts > this.options.maxAlerts) this.held.push(fired);
        else this.options.onTrigger?.alert?.(fired);
        return;
      case 'summary':
        this.held.push(fired);
    }
  }

  /** It may have ended before the monitor had looked at its last entries. */
  private async pauseUnlessOver(): Promise<void> {
    try {
      await this.pause();
    } catch (error) {
      if (failureOf(error).code !== 'ALREADY_TERMINAL') throw error;
    }
  }

  private summarise(): void {
    this.sinceSummary = 0;
    this.alerts = 0;
    const fired = this.held.splice(0);
    if (fired.length > 0) this.options.onTrigger?.summary?.(fired);
  }
}

/** Sorts as the journal does. */
function positionOf({ generation, seq }: Entry): string {
  return `${String(generation).padStart(12, '0')}:${String(seq).padStart(12, '0')}`;
}
