import { type About, sessionsIn, useFrom } from '../core/about.js';
import { fixedMark, type Mark } from '../core/mark.js';
import type { Outcome } from '../core/outcome.js';
import type { Agent, Entered } from '../core/run.js';
import { type Described, described, type Use } from '../core/use.js';

export { type About, sessionsIn, useFrom };

/** Makes an agent of a body, in a scope that says which pattern it is, and with its description attached. */
export function pattern<I, O>(
  about: About,
  body: (run: Entered, input: I) => Promise<Outcome<O>>,
): Described<Agent<I, O>> {
  const use = useFrom(about);
  const mark = markOf(use);
  const agent: Agent<I, O> = (run, input) => run.enter(mark, (inside) => body(inside, input));
  return described(Object.defineProperty(agent, 'name', { value: about.name }), use);
}

/** Which use a mark was made of. The event that begins a scope has the very parameters of its mark. */
const marked = new WeakMap<object, Use>();

/** How the scope of a pattern is marked in the journal. */
export function markOf(use: Use): Mark {
  const { id, name, params, predicted } = use;
  // JSON has no infinity: a composition with a part that says nothing is predicted to make any number of calls
  const calls = { min: predicted.min, max: Math.min(predicted.max, Number.MAX_SAFE_INTEGER) };
  const mark = fixedMark({ pattern: name, params: { id, ...params }, predicted: calls });
  if (mark.params !== undefined) marked.set(mark.params, use);
  return mark;
}

/** The description behind a scope that this process began: its parts, which no journal has, and its formula. */
export function useMarked({ params }: Pick<Mark, 'params'>): Use | undefined {
  return params === undefined ? undefined : marked.get(params);
}
