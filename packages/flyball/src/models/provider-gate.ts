import { Breaker, type BreakerState } from '../core/breaker.js';
import { FlyballError } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import { Line } from './line.js';
import type { RouterEvent } from './router-event.js';
import type { RouterPolicy } from './router-policy.js';

/** What a call learned about the other side. */
export type Lesson = 'succeeded' | 'failed' | 'undecided';

export type Report = (lesson: Lesson, because?: string) => void;

/** One provider as a router sees it: a line, and a breaker that all its models share. */
export class ProviderGate {
  readonly provider: string;
  readonly line: Line;
  private readonly breaker: Breaker;
  private readonly clock: Clock;
  private readonly tell: (event: RouterEvent) => void;
  private known: BreakerState = 'closed';
  private lastFailure = '';

  constructor(
    provider: string,
    parts: { readonly policy: RouterPolicy; readonly clock: Clock; readonly tell: (event: RouterEvent) => void },
  ) {
    const { limit, providers, maxWaiting } = parts.policy.concurrency;
    const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    this.provider = provider;
    this.line = new Line({ limit: own ?? limit, maxWaiting });
    this.breaker = new Breaker(parts.policy.breaker);
    this.clock = parts.clock;
    this.tell = parts.tell;
  }

  /** Lets the caller in or throws CIRCUIT_OPEN; answers how to report the end, which has to be done once. */
  admit(): Report {
    const waitMs = this.breaker.refuses(this.clock.monotonic());
    if (waitMs !== undefined) this.refuse(waitMs);
    this.noticeChange();
    const { era } = this.breaker;
    return (lesson, because = '') => {
      if (lesson === 'succeeded') this.breaker.succeeded(era);
      else if (lesson === 'undecided') this.breaker.undecided(era);
      else {
        this.breaker.failed(this.clock.monotonic(), era);
        this.lastFailure = because;
      }
      this.noticeChange();
    };
  }

  private refuse(waitMs: number): never {
    this.noticeChange();
    const { provider } = this;
    throw new FlyballError(
      'CIRCUIT_OPEN',
      `${this.lastFailure} ${provider} failed several times in a row, so it is not called for another ` +
        `${Math.ceil(waitMs / 1000)} s. Fix the cause and try again then, or add a fallback of another provider.`,
      { retryable: true, detail: { provider, waitMs } },
    );
  }

  private noticeChange(): void {
    const to = this.breaker.state(this.clock.monotonic());
    if (to === this.known) return;
    const from = this.known;
    this.known = to;
    this.tell({ type: 'breaker-change', provider: this.provider, from, to });
  }
}
