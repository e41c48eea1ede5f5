import { type About, sessionsIn, useFrom } from '../core/about.js';
import { fixedMark, type Mark } from '../core/mark.js';
import type { Outcome } from '../core/outcome.js';
import type { Agent, Entered, Run } from '../core/run.js';
import { checkSampling } from '../core/sampling.js';
import { type Described, described, isSession, type Use } from '../core/use.js';

export { type About, sessionsIn, useFrom };

/** Makes an agent of a body, in a scope that says which pattern it is, and with its description attached. */
export function pattern<I, O>(
  about: About,
  body: (run: Entered, input: I) => Promise<Outcome<O>>,
): Described<Agent<I, O>> {
  checkSessions(about);
  const use = useFrom(about);
  const mark = markOf(use, about);
  const agent: Agent<I, O> = (run, input) => run.enter(mark, (inside) => body(inside, input));
  return described(scoped(Object.defineProperty(agent, 'name', { value: about.name })), use);
}

function checkSessions({ parts }: About): void {
  for (const part of Object.values(parts).flat())
    if (part !== undefined && isSession(part)) checkSampling(`the session "${part.name}"`, part.sampling);
}

/**
 * An agent that is a whole run where it is run by itself, and one pattern among others where it is a part: it says which
 * only there.
 */
export function patternAsPart<I, O>(
  use: Use,
  body: (run: Run, input: I, learned: Entered['learned']) => Promise<Outcome<O>>,
): Described<Agent<I, O>> {
  const mark = markOf(use);
  const agent: Agent<I, O> = (run, input) => body(run, input, () => undefined);
  const part: Agent<I, O> = (run, input) => run.enter(mark, (inside) => body(inside, input, inside.learned));
  return described(scoped(agent, part), use);
}

const AS_PART: unique symbol = Symbol.for('flyball.as-part') as never;

/**
 * Says that a function opens a scope of its own where it is a part of a pattern, or what to run there in its place. Without
 * this the pattern opens one for it: a description alone does not keep calls apart.
 */
export function scoped<F extends object>(part: F, inPlace: F = part): F {
  return Object.defineProperty(part, AS_PART, { value: inPlace });
}

/** What to run where it is a part; undefined where it opens no scope. */
export function asPart<F extends object>(part: F): F | undefined {
  return (part as { readonly [AS_PART]?: F })[AS_PART];
}

/** Which use a mark was made of. The event that begins a scope has the very parameters of its mark. */
const marked = new WeakMap<object, Use>();

/** How the scope of a pattern is marked in the journal. */
export function markOf(use: Use, { ownBest }: Pick<Mark, 'ownBest'> = {}): Mark {
  const { id, name, params, predicted } = use;
  // JSON has no infinity: a composition with a part that says nothing is predicted to make any number of calls
  const calls = { min: predicted.min, max: Math.min(predicted.max, Number.MAX_SAFE_INTEGER) };
  const own = ownBest === undefined ? {} : { ownBest };
  const mark = fixedMark({ pattern: name, params: { id, ...params }, predicted: calls, ...own });
  if (mark.params !== undefined) marked.set(mark.params, use);
  return mark;
}

/** The description behind a scope that this process began: its parts, which no journal has, and its formula. */
export function useMarked({ params }: Pick<Mark, 'params'>): Use | undefined {
  return params === undefined ? undefined : marked.get(params);
}
