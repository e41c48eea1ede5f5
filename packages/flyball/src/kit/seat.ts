import { FlyballError, failureOf } from '../core/errors.js';
import type { FinishReason } from '../core/model.js';
import { blocked, degraded, done, failed, type Outcome } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Input, Session } from '../core/session.js';
import { isSession } from '../core/use.js';
import { asPart } from './pattern.js';

/** Whoever works: a session where one call is enough, an agent where it needs tools. */
export type Seat<I extends Input, O> = Session<O> | Agent<I, O>;

/** What a seat answers. */
export function answerOf<I extends Input, O>(run: Run, seat: Seat<I, O>, input: I): Promise<Outcome<O>> {
  return isSession(seat) ? askOnce(run, seat as Session<O>, input) : runPart(run, seat as Agent<I, O>, input);
}

/** One call, as an outcome: a reply that was cut off or refused is not passed off as an answer. */
export async function askOnce<O>(run: Run, session: Session<O>, input: Input): Promise<Outcome<O>> {
  const { finish, value } = await run.ask(session, input);
  return replied(session, finish, value);
}

/** What the end of a reply makes of the value that was read from it. */
export function replied<O>(session: Pick<Session, 'name'>, finish: FinishReason, value: O): Outcome<O> {
  if (finish === 'content_filter') return blocked('the model refused to answer');
  if (finish === 'length') return degraded(value, 'the answer is cut at the limit of output tokens');
  if (finish !== 'error') return done(value);
  const why = `The model of ${session.name} ended its reply with an error. Ask it again later.`;
  return failed(failureOf(new FlyballError('MODEL_UNAVAILABLE', why, { retryable: true })));
}

/**
 * Runs a part of a pattern. One that opens no scope gets one all the same, so that what it costs is not taken for the
 * pattern's own.
 */
export function runPart<I, O>(run: Run, agent: Agent<I, O>, input: I): Promise<Outcome<O>> {
  const part = asPart(agent);
  if (part !== undefined) return part(run, input);
  return run.enter({ pattern: 'part', params: { agent: agent.name } }, (inside) => agent(inside, input));
}
