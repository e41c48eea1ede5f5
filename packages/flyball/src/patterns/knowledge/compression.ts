import type { Session } from '../../core/session.js';
import { checkCounts, checkGiven, checkShare } from '../../kit/options.js';
import { useFrom } from '../../kit/pattern.js';
import { compresses, MOST_CALLS } from '../../loops/tool-loop/compress.js';
import type { WindowPolicy } from '../../loops/tool-loop/window-policy.js';
import { type Described, described } from '../use.js';
import { checkPlain } from './plain-session.js';

/** Who takes part in `compression`. */
export interface CompressionParts {
  /** Writes the summaries: a small model will do. It is asked under the name `<session of the loop>-summarizer`. */
  readonly summarizer: Session;
}

/** Options of `compression`. */
export interface CompressionOptions {
  /** Tokens that the conversation may take; what the window of whoever works allows by default. */
  readonly maxTokens?: number;
  /** Share of them at which it is done. */
  readonly trigger?: number;
  /** Turns at the end that are never touched. */
  readonly keepRecent?: number;
}

/**
 * Replaces settled old turns by a summary.
 *
 * Model calls: `asked × summarizer` each time it is needed: none where pruning is enough, which it tries first, one for a
 * summary, one more where the first lost more than half of the names and numbers. A summary that still loses them is not
 * used. Not for work that needs every detail of what it read: give it a larger window, or parts of the work to agents
 * with a window of their own.
 *
 * @pattern K6
 * @example
 * ```ts
 * const window = [compression({ summarizer: small }, { maxTokens: 60_000 })];
 * const loop = toolLoop({ session, tools, window });
 * ```
 */
export function compression(
  { summarizer }: CompressionParts,
  { maxTokens, trigger = 0.7, keepRecent = 6 }: CompressionOptions = {},
): Described<WindowPolicy> {
  checkGiven('compression (K6)', { summarizer });
  checkCounts('compression (K6)', { keepRecent, ...(maxTokens === undefined ? {} : { maxTokens }) });
  checkShare('compression (K6)', { trigger });
  checkPlain('compression (K6)', { summarizer });
  const limits = { trigger, keepRecent, ...(maxTokens === undefined ? {} : { maxTokens }) };
  const about = {
    id: 'K6',
    name: 'compression',
    params: limits,
    parts: { summarizer },
    calls: { times: [{ fact: 'asked', least: 0, most: MOST_CALLS }, { part: 'summarizer' }] },
    provides: ['K7'],
  } as const;
  return described(compresses({ summarizer, ...limits }), useFrom(about));
}
