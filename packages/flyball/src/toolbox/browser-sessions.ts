import type { Browser } from 'playwright-core';
import { FlyballError } from '../core/errors.js';
import type { EffectContext } from '../core/tool.js';
import { BrowserSession, type BrowsingRules } from './browser-session.js';

export interface SessionLimits {
  /** Pages open at the same time; the one used longest ago makes room. */
  readonly maxSessions: number;
  readonly idleMs: number;
}

interface Held {
  readonly session: Promise<BrowserSession>;
  /** Answers by key: an effect that is made again gets its first answer, and the page is not touched twice. */
  readonly answers: Map<string, unknown>;
  turn: Promise<unknown>;
  /** Calls under way: a page that works is not idle. */
  calls: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

const KEPT_ANSWERS = 50;

/** One page for each run, in one browser that is started with the first and closed with the last. */
export class BrowserSessions {
  private readonly launch: () => Promise<Browser>;
  private readonly how: BrowsingRules;
  private readonly limits: SessionLimits;
  private readonly held = new Map<string, Held>();
  private browser: Promise<Browser> | undefined;

  constructor(launch: () => Promise<Browser>, how: BrowsingRules, limits: SessionLimits) {
    this.launch = launch;
    this.how = how;
    this.limits = limits;
  }

  /** Runs `work` on the page of the run that the key belongs to, after everything asked of that page before. */
  async use<T>(
    { key, signal }: EffectContext,
    opens: 'opens-a-page' | 'needs-a-page',
    work: (session: BrowserSession) => Promise<T>,
  ): Promise<T> {
    const run = runOf(key);
    const held = this.held.get(run) ?? (opens === 'opens-a-page' ? this.open(run) : undefined);
    if (held === undefined) {
      throw new FlyballError(
        'EFFECT_FAILED',
        'No page is open, or it was closed after a while: browser_open opens one.',
      );
    }
    const known = held.answers.get(key);
    if (known !== undefined) return known as T;
    this.begin(run, held);
    try {
      const turn = held.turn.then(async () => work(await held.session));
      held.turn = turn.catch(() => undefined);
      const answer = await this.orClosed(turn, run, signal);
      held.answers.set(key, answer);
      for (const old of [...held.answers.keys()].slice(0, -KEPT_ANSWERS)) held.answers.delete(old);
      return answer;
    } finally {
      this.end(run, held);
    }
  }

  async close(run?: string): Promise<void> {
    const runs = run === undefined ? [...this.held.keys()] : [run];
    await Promise.all(runs.map((each) => this.closeOne(each)));
    if (this.held.size > 0 || this.browser === undefined) return;
    const browser = this.browser;
    this.browser = undefined;
    await browser.then((started) => started.close()).catch(() => undefined); // it may never have started
  }

  /** A page that was stopped in the middle of something is in no state to go on from. */
  private async orClosed<T>(work: Promise<T>, run: string, signal: AbortSignal): Promise<T> {
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => {
        reject(signal.reason);
        void this.close(run);
      };
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      work.catch(() => undefined);
    }
  }

  private open(run: string): Held {
    if (this.held.size >= this.limits.maxSessions) void this.close(this.held.keys().next().value);
    const session = this.started().then((browser) => BrowserSession.open(browser, this.how));
    const held: Held = { session, answers: new Map(), turn: Promise.resolve(), calls: 0, idle: undefined };
    session.catch(() => this.held.delete(run)); // the next call tries again
    this.held.set(run, held);
    return held;
  }

  private started(): Promise<Browser> {
    if (this.browser === undefined) {
      const starting = this.launch();
      this.browser = starting;
      const forget = (): void => {
        if (this.browser !== starting) return;
        this.browser = undefined;
        for (const run of this.held.keys()) void this.closeOne(run);
      };
      starting.then((browser) => browser.on('disconnected', forget), forget);
    }
    return this.browser;
  }

  private begin(run: string, held: Held): void {
    this.held.delete(run);
    this.held.set(run, held); // the newest stands last
    held.calls++;
    clearTimeout(held.idle);
  }

  private end(run: string, held: Held): void {
    held.calls--;
    if (held.calls > 0 || this.held.get(run) !== held) return;
    held.idle = setTimeout(() => void this.close(run), this.limits.idleMs);
    held.idle.unref();
  }

  private async closeOne(run: string): Promise<void> {
    const held = this.held.get(run);
    if (held === undefined) return;
    this.held.delete(run);
    clearTimeout(held.idle);
    await held.session.then((session) => session.close()).catch(() => undefined); // it may never have opened
  }
}

/** Keys begin with the id of their run and its generation. */
export function runOf(key: string): string {
  return /^(.+?):\d+:/.exec(key)?.[1] ?? key;
}
