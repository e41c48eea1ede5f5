import type { Segment } from '../../core/prompt.js';
import { checkCounts, checkShare } from '../../kit/options.js';
import { useFrom } from '../../kit/pattern.js';
import { prunes } from '../../loops/tool-loop/prune.js';
import type { WindowPolicy } from '../../loops/tool-loop/window-policy.js';
import { type Described, described } from '../use.js';

/** What `pruning` may be given. */
export interface PruningParts {
  /** What a stub says of the result it stands for: tool and size by default. How to recall it is added. */
  readonly stub?: (result: Segment) => string;
}

/** Options of `pruning`. */
export interface PruningOptions {
  /**
   * `threshold`: as the window fills up. `subtask`: also whenever a new task is given, however much room there is; every
   * edit voids the provider's cache from there on.
   */
  readonly at?: 'threshold' | 'subtask';
  /** Share of the window at which it is done. */
  readonly trigger?: number;
  /** Turns at the end that are never touched. */
  readonly keepRecent?: number;
}

/**
 * Takes out used-up results; each can be recalled.
 *
 * Model calls: none. A result that a later turn has seen becomes one line; the tool `recall_result` gives it back to the
 * byte. Everything else stays as it was. Not for conversations without tools, whose words nobody can tell used from
 * needed: `compression` summarizes them.
 *
 * @pattern K7
 * @example
 * ```ts
 * const loop = toolLoop({ session, tools, window: [pruning({}, { at: 'subtask' })] });
 * ```
 */
export function pruning(
  { stub }: PruningParts = {},
  { at = 'threshold', trigger = 0.7, keepRecent = 6 }: PruningOptions = {},
): Described<WindowPolicy> {
  checkCounts('pruning (K7)', { keepRecent });
  checkShare('pruning (K7)', { trigger });
  const policy = prunes({ at, trigger, keepRecent, ...(stub === undefined ? {} : { stub }) });
  return described(
    policy,
    useFrom({ id: 'K7', name: 'pruning', params: { at, trigger, keepRecent }, parts: {}, calls: 0 }),
  );
}
