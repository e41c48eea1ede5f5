import { joinSeams } from '../core/join-seams.js';
import type { Agent } from '../core/run.js';
import type { ToolSeams } from '../core/seams.js';
import { inRun } from './in-run.js';
import { useOf } from './use.js';

/**
 * An agent with guards around every tool call that is made inside it, by children and branches too. What the guards are is
 * among what its description says it provides.
 */
export function guarded<I, O>(agent: Agent<I, O>, ...guards: readonly ToolSeams[]): Agent<I, O> {
  const seams = joinSeams(...guards);
  const ids = guards.flatMap((guard) => useOf(guard)?.id ?? []);
  return inRun(agent, ids, (run) => run.guarded(seams));
}
