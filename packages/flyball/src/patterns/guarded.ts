import { joinSeams } from '../core/join-seams.js';
import type { Agent, Run } from '../core/run.js';
import type { ToolSeams } from '../core/seams.js';
import { checkGiven } from '../kit/options.js';
import { inRun } from './in-run.js';
import { useOf } from './use.js';

/** Guards that go by what the run has done so far, such as `errorDigest`. */
export interface GuardsOfRun {
  guard(run: Run): ToolSeams;
}

/**
 * An agent with guards around every tool call that is made inside it, by children and branches too. What the guards are is
 * among what its description says it provides.
 */
export function guarded<I, O>(agent: Agent<I, O>, ...guards: readonly (ToolSeams | GuardsOfRun)[]): Agent<I, O> {
  checkGiven('guarded', { agent });
  for (const guard of guards) checkGiven('guarded', { guard });
  const ids = guards.flatMap((guard) => useOf(guard)?.id ?? []);
  if (!guards.some(isOfRun)) {
    const seams = joinSeams(...(guards as readonly ToolSeams[]));
    return inRun(agent, ids, (run) => run.guarded(seams));
  }
  return inRun(agent, ids, (run) =>
    run.guarded(joinSeams(...guards.map((guard) => (isOfRun(guard) ? guard.guard(run) : guard)))),
  );
}

const isOfRun = (guard: ToolSeams | GuardsOfRun): guard is GuardsOfRun => 'guard' in guard;
