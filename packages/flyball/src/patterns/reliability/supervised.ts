import { useFrom } from '../../core/about.js';
import type { Agent } from '../../core/run.js';
import { type Described, described } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import { markOf, scoped } from '../../kit/pattern.js';
import { runPart } from '../../kit/seat.js';
import { classesIn, type ScopeOptions, seamsFor } from '../../people/supervised-scope.js';

/**
 * Runs on its own where a person watches and can stop it.
 *
 * Model calls: those of the agent. Tool calls and steps outside the allowed classes are denied, even if the tool is loaded.
 * What cannot be undone is never in the scope. The scope is recorded when the run starts: a later process, generation or
 * fork with a larger one does not widen it. `supervise` watches the run and pauses, redirects or aborts it. Not for actions
 * that nobody can take back: use `needsApproval` for those.
 *
 * @pattern V2
 * @example
 * ```ts
 * const watched = supervised(editor, { allow: ['pure', 'undoable'], baseline });
 * ```
 */
export function supervised<I, O>(agent: Agent<I, O>, options: ScopeOptions): Described<Agent<I, O>> {
  checkGiven('supervised (V2)', { agent, allow: options.allow, baseline: options.baseline });
  const classes = classesIn(options);
  const names = classes.map(({ name }) => name);
  const use = useFrom({
    id: 'V2',
    name: 'supervised',
    params: { allow: names, baseline: options.baseline.suite },
    parts: { agent },
    calls: { part: 'agent' },
    provides: ['V10', 'V14'],
  });
  const mark = markOf(use);
  const wrapped: Agent<I, O> = async (run, input) => {
    // of the run and not of this scope: whoever goes on with the run finds it, however the agent is wrapped by then
    const fixed = run.pin('supervised-scope', names);
    const kept = classes.filter(({ name }) => fixed.includes(name));
    return run.enter(mark, (inside) => runPart(inside.guarded(seamsFor(kept)), agent, input));
  };
  return described(scoped(Object.defineProperty(wrapped, 'name', { value: 'supervised' })), use);
}
