import type { Segment } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import { clearConsumed, consumedBefore } from './window-care.js';
import { KEEP_RECENT, type Shorter, TRIGGER, type Window, type WindowPolicy } from './window-policy.js';

/** Options of a policy that prunes. */
export interface PruneOptions {
  /** What a stub says of the result it stands for: tool and size by default. How to recall it is added. */
  readonly stub?: (result: Segment) => string;
  /**
   * When it is done. `threshold`: as the window fills up. `subtask`: also whenever a new task is given, however much room
   * there is.
   */
  readonly at?: 'threshold' | 'subtask';
  /** Share of the room at which it is done. 0.7 by default. */
  readonly trigger?: number;
  /** Turns at the end that are never touched. 6 by default. */
  readonly keepRecent?: number;
}

/** Share of the room, in characters, that an edit must save: every edit voids the provider's cache from there on. */
const LEAST_GAIN = 0.05;

/** Takes out tool results that a later turn has seen. Each leaves a stub and can be recalled. */
export function prunes({
  stub,
  at = 'threshold',
  trigger = TRIGGER,
  keepRecent = KEEP_RECENT,
}: PruneOptions): WindowPolicy {
  return {
    name: 'pruning',
    atBegin: at === 'subtask',
    from: (room) => room * trigger,
    fit: async (run, window) => {
      const isFull = window.tokens > window.room * trigger;
      if (!isFull && !(at === 'subtask' && window.begins)) return undefined;
      const until = isFull ? {} : { until: consumedBefore(window.prompt) };
      const shorter = await pruned(run, window, { keepRecent, ...until, ...(stub === undefined ? {} : { stub }) });
      return shorter === undefined ? undefined : { shorter };
    },
  };
}

/** How much is pruned: all but the recent turns, or what stands before a place. */
export interface Pruning {
  readonly keepRecent: number;
  readonly until?: number;
  readonly stub?: (result: Segment) => string;
}

/** Any gain is worth it where the conversation does not fit as it is. */
export async function pruned(
  run: Run,
  { prompt: before, tokens, room, count }: Pick<Window, 'prompt' | 'tokens' | 'room' | 'count'>,
  how: Pruning,
): Promise<Shorter | undefined> {
  const { prompt, originals, from } = clearConsumed(before, how.keepRecent, how);
  const gain = before.size - prompt.size;
  if (gain === 0 || !(tokens > room || gain >= room * LEAST_GAIN)) return undefined;
  run.note({
    kind: 'context-cleared',
    loop: run.path,
    results: originals.size,
    from,
    before: before.size,
    after: prompt.size,
  });
  return { prompt, originals, tokens: await count(prompt) };
}
