import type { ServerReplyParts } from '../../packages/flyball/src/testing/model-server/server-script.js';
import { VOID } from './task.js';

/** A way in which a provider goes wrong before it answers, and what that means for the call. */
export interface Trouble {
  readonly name: string;
  /** The reply that goes wrong. */
  spoilt(): ServerReplyParts;
  /** The provider may have worked, and billed, before it went wrong. */
  readonly mayHaveCost: boolean;
  /** Nobody answers until the timeout. */
  readonly hangs?: boolean;
  /** Some of it comes before it goes wrong, where it is streamed. */
  readonly tellsSome?: boolean;
  /** How long the router waits before it tries again. */
  readonly waitMs: { readonly least: number; readonly most: number };
  /** Counts toward the breaker: a rate limit is no outage. */
  readonly isOutage: boolean;
}

const BACKOFF = { least: 100, most: 100 };
const paid = (misbehave: NonNullable<ServerReplyParts['misbehave']>, more: Partial<Trouble> = {}): Trouble => ({
  name: misbehave,
  spoilt: () => ({ ...VOID, misbehave }),
  mayHaveCost: true,
  waitMs: BACKOFF,
  isOutage: true,
  ...more,
});

export const TROUBLES: readonly Trouble[] = [
  {
    name: '429 with Retry-After in seconds',
    spoilt: () => ({ misbehave: '429', retryAfter: 7 }),
    mayHaveCost: false,
    waitMs: { least: 7_000, most: 7_000 },
    isOutage: false,
  },
  {
    name: '429 with Retry-After as a date',
    spoilt: () => ({ misbehave: '429', retryAfter: new Date(Date.now() + 20_000) }),
    mayHaveCost: false,
    waitMs: { least: 10_000, most: 21_000 }, // a date has whole seconds, and some of them pass on the way
    isOutage: false,
  },
  {
    name: '503',
    spoilt: () => ({ misbehave: '503' }),
    mayHaveCost: false,
    waitMs: BACKOFF,
    isOutage: true,
  },
  paid('500'),
  paid('hang', { hangs: true }),
  paid('drop'),
  paid('cut', { tellsSome: true }),
  paid('ends-early', { tellsSome: true }),
  paid('malformed-json', { tellsSome: true }),
  paid('wrong-content-type'),
];

/** Nothing is wrong with these replies: a client that stumbles over them is. */
export const ODDITIES = ['slow', 'unknown-fields'] as const;
