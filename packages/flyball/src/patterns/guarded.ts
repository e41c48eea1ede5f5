import { joinSeams } from '../core/join-seams.js';
import type { Agent } from '../core/run.js';
import type { ToolSeams } from '../core/seams.js';
import { described, useOf } from './use.js';

/**
 * An agent with guards around every tool call that is made inside it, by children and branches too. What the guards are is
 * among what its description says it provides.
 */
export function guarded<I, O>(agent: Agent<I, O>, ...guards: readonly ToolSeams[]): Agent<I, O> {
  const seams = joinSeams(...guards);
  const wrapped: Agent<I, O> = (run, input) => agent(run.guarded(seams), input);
  const use = useOf(agent);
  if (use === undefined) return wrapped;
  const ids = guards.flatMap((guard) => useOf(guard)?.id ?? []);
  return described(wrapped, { ...use, provides: [...new Set([...use.provides, ...ids])] });
}
