import type { BreakerState } from '../core/breaker.js';
import type { Failure } from '../core/errors.js';
import type { TokenUsage } from '../core/model.js';

/** What a router does behind one model call, as it happens. `key` is the call's own, the same for all its attempts. */
export type RouterEvent =
  /** The provider is at its limit; `ahead` calls were in line before this one. */
  | { readonly type: 'line-wait'; readonly key: string; readonly model: string; readonly ahead: number }
  /** `attempt` counts over the whole call, fallbacks included, from 1. */
  | { readonly type: 'attempt-start'; readonly key: string; readonly model: string; readonly attempt: number }
  | ({
      readonly type: 'attempt-end';
      readonly key: string;
      readonly model: string;
      readonly attempt: number;
      readonly ms: number;
    } & AttemptResult)
  /** `askedMs`: what the provider wanted at least. */
  | {
      readonly type: 'retry-wait';
      readonly key: string;
      readonly model: string;
      readonly retry: number;
      readonly waitMs: number;
      readonly askedMs?: number;
    }
  | {
      readonly type: 'breaker-change';
      readonly provider: string;
      readonly from: BreakerState;
      readonly to: BreakerState;
    }
  | {
      readonly type: 'fallback-use';
      readonly key: string;
      readonly from: string;
      readonly to: string;
      readonly because: Failure;
    }
  /** A model of the chain that cannot answer this request. */
  | { readonly type: 'fallback-skip'; readonly key: string; readonly model: string; readonly why: string };

/** How one attempt of a model call ended. */
export type AttemptResult =
  | { readonly ok: true; readonly usage: TokenUsage }
  | { readonly ok: false; readonly failure: Failure; readonly wasted?: TokenUsage }
  /** The caller gave up. */
  | { readonly ok: false; readonly cancelled: true };
