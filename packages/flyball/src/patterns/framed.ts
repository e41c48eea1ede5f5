import { checkFraming, framed as dressed, type Framing } from '../core/framing.js';
import type { Agent, Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { checkGiven } from '../kit/options.js';
import { inRun } from './in-run.js';
import { carrying, isSession, useOf } from './use.js';

/**
 * A session, or an agent, with framings on it: the first is nearest to what the author wrote, the last has the last word.
 * A framed agent is asked like any other; every session inside it is framed, and its description says by which patterns. So
 * does the description of a pattern with a framed session in it.
 */
export function framed<T>(session: Session<T>, ...framings: readonly Framing[]): Session<T>;
/** An agent with framings on every session inside it. */
export function framed<I, O>(agent: Agent<I, O>, ...framings: readonly Framing[]): Agent<I, O>;
export function framed<I, O>(
  part: Session<O> | Agent<I, O>,
  ...framings: readonly Framing[]
): Session<O> | Agent<I, O> {
  checkGiven('framed', { part });
  for (const framing of framings) {
    checkGiven('framed', { framing });
    checkFraming(framing);
  }
  const outermostFirst = [...framings].reverse();
  const ids = framings.flatMap((framing) => useOf(framing)?.id ?? []);
  if (isSession(part)) return carrying(dressed(outermostFirst, part as Session<O>), ids);
  return inRun(part as Agent<I, O>, ids, (run) =>
    outermostFirst.reduce((outer: Run, framing) => outer.dressed(framing), run),
  );
}
