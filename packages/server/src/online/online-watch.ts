import type { OnlineEval } from '@flyball/evals';
import { type Cohort, traceFactsOf } from '@flyball/evals';
import type { OnlineState } from '@flyball/evals/internal';
import type { Clock, Entry, Runtime } from 'flyball';
import type { Log } from '../log.js';

/** What `watchRuns` needs. */
export interface OnlineWatchParts {
  readonly runs: Pick<Runtime, 'subscribe' | 'entries'>;
  readonly online: OnlineEval;
  readonly clock: Clock;
  readonly log: Log;
  /** Which part of the traffic a run belongs to. Where it is absent: its agent, its tenant, its model. */
  readonly cohortOf?: (entries: readonly Entry[]) => Cohort;
  /** Where this server stands, for the cohort. */
  readonly region?: string;
  /** Runs that wait to be read; beyond it some are dropped and counted, those that ended well first: 1,000. */
  readonly queue?: number;
  /** How often windows that ended are judged: every minute. */
  readonly judgeEveryMs?: number;
}

/** Passes finished runs to online evaluation. */
export interface OnlineWatch {
  state(): OnlineWatchState;
  /** Resolves when every run that was taken in has been read and judged. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** How many runs online evaluation has seen, queued and dropped. */
export interface OnlineWatchState extends OnlineState {
  /** Runs that ended and have not been read yet. */
  readonly waiting: number;
  /** Runs that nobody could read in time. */
  readonly overrun: number;
  /** Runs whose journal could not be read. */
  readonly unreadable: number;
}

const QUEUE = 1_000;
const JUDGE_EVERY_MS = 60_000;

/**
 * Hands the runs that end here to online evaluation, beside whatever the server does. A run that ends leaves its id and
 * nothing else; journals are read one after the other and later, so that no run and no response waits for a judge.
 */
export function watchRuns(parts: OnlineWatchParts): OnlineWatch {
  return new Watch(parts);
}

class Watch implements OnlineWatch {
  private readonly parts: OnlineWatchParts;
  /** By id, whether the run ended well. */
  private readonly waiting = new Map<string, boolean>();
  private readonly counts = { overrun: 0, unreadable: 0 };
  private reading: Promise<void> | undefined;
  private readonly stopListening: () => void;
  private stopJudging: () => void = () => undefined;
  private isClosed = false;

  constructor(parts: OnlineWatchParts) {
    this.parts = parts;
    this.stopListening = parts.runs.subscribe((runId, entries) => {
      for (const { event } of entries) if (event.type === 'run-end') this.take(runId, event.outcome.stop === 'done');
    });
    this.judgeLater();
  }

  state(): OnlineWatchState {
    return { ...this.parts.online.state(), waiting: this.waiting.size, ...this.counts };
  }

  async settled(): Promise<void> {
    while (this.reading !== undefined) await this.reading;
    await this.parts.online.settled();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.stopListening();
    this.stopJudging();
    this.waiting.clear();
    await this.reading;
  }

  /** Called while the run is being written: only notes its id. One that ends again, under a larger budget, is read as it then is. */
  private take(runId: string, endedWell: boolean): void {
    this.waiting.set(runId, endedWell);
    this.makeRoom();
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined;
    });
  }

  private makeRoom(): void {
    if (this.waiting.size <= (this.parts.queue ?? QUEUE)) return;
    const routine = [...this.waiting].find(([, endedWell]) => endedWell) ?? [...this.waiting][0];
    if (routine === undefined) return;
    this.waiting.delete(routine[0]);
    this.counts.overrun++;
  }

  private async readAll(): Promise<void> {
    for (;;) {
      await this.turn(); // between two journals the server goes first
      const [next] = this.waiting.keys();
      if (next === undefined || this.isClosed) return;
      this.waiting.delete(next);
      await this.read(next);
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  private async read(runId: string): Promise<void> {
    const { runs, online, log, cohortOf = (entries) => cohortIn(entries, this.parts.region) } = this.parts;
    try {
      const entries = await runs.entries(runId);
      online.observe(traceFactsOf(runId, entries, cohortOf(entries)));
    } catch (error) {
      this.counts.unreadable++;
      log.error('a run could not be read for evaluation', error, { run: runId });
    }
  }

  private judgeLater(): void {
    const { clock, online, log, judgeEveryMs = JUDGE_EVERY_MS } = this.parts;
    const judge = (): void => {
      try {
        online.close(clock.now());
      } catch (error) {
        log.error('windows could not be evaluated', error); // an alert that fails must not end the watch
      }
      this.judgeLater();
    };
    if (!this.isClosed) this.stopJudging = clock.after(judgeEveryMs, judge, { keepAlive: false });
  }
}

/** The agent, the tenant and the model that a journal names. */
function cohortIn(entries: readonly Entry[], region = 'unknown'): Cohort {
  const start = entries.find(({ event }) => event.type === 'run-start')?.event;
  const ask = entries.find(({ event }) => event.type === 'ask-start')?.event;
  return {
    task: start?.type === 'run-start' ? start.agent : 'unknown',
    segment: start?.type === 'run-start' ? start.tenant : 'unknown',
    model: ask?.type === 'ask-start' ? ask.model : 'none',
    region,
  };
}
