import { joinSeams } from '../../core/join-seams.js';
import type { Agent } from '../../core/run.js';
import type { ToolSeams } from '../../core/seams.js';
import { described, useOf } from '../../core/use.js';

/**
 * The same agent, with these guards around every tool call and step made inside it, by its children and branches too. The
 * first guard decides first. Where the agent describes itself, its description names them: `guarded(clerk,
 * needsApproval(…), policyGuard(…))`.
 */
export function guarded<I, O>(agent: Agent<I, O>, ...guards: readonly ToolSeams[]): Agent<I, O> {
  const seams = joinSeams(...guards);
  const wrapped: Agent<I, O> = (run, input) => agent(run.guarded(seams), input);
  const use = useOf(agent);
  if (use === undefined) return wrapped;
  const known = guards.flatMap((guard) => useOf(guard) ?? []);
  return described(wrapped, { ...use, parts: { ...use.parts, guards: known } });
}
