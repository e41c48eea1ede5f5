import type { Agent, Run } from '../core/run.js';
import type { PatternId } from '../core/use.js';
import { asPart, scoped } from '../kit/pattern.js';
import { described, useOf } from './use.js';

/** The same agent in a changed run. It stays the pattern that it was, with what the change provides beside. */
export function inRun<I, O>(
  agent: Agent<I, O>,
  provides: readonly PatternId[],
  changed: (run: Run) => Run,
): Agent<I, O> {
  const wrapped: Agent<I, O> = (run, input) => agent(changed(run), input);
  const part = asPart(agent);
  if (part !== undefined) scoped(wrapped, part === agent ? wrapped : (run, input) => part(changed(run), input));
  const use = useOf(agent);
  if (use === undefined) return wrapped;
  return described(wrapped, { ...use, provides: [...new Set([...use.provides, ...provides])] });
}
