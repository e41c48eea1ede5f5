import { ConfigError, FlyballError, failureOf } from '../../core/errors.js';
import { failed } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { Input, Session } from '../../core/session.js';
import { checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { askOnce } from '../../kit/seat.js';
import type { Described } from '../use.js';
import { patternsOf } from './patterns-of.js';

/**
 * Asks once and returns the reply as it came.
 *
 * Model calls: 1, always: a reply that does not fit the session's schema fails, and nobody is asked again. The measured
 * floor that every other pattern has to beat: see `probe`. Not for anything that has to look something up (`reAct`), and
 * not alone where a wrong answer does harm.
 *
 * @pattern S1
 * @example
 * ```ts
 * const classify = zeroShot({ name: 'classifier', model, setup: '' });
 * ```
 */
export function zeroShot<O = string>(answerer: Session<O>): Described<Agent<Input, O>> {
  checkGiven('zeroShot (S1)', { answerer });
  if ((answerer.tools?.length ?? 0) > 0)
    throw new ConfigError(
      `zeroShot (S1) makes one call, and the session "${answerer.name}" has tools. Remove them, or use reAct (R4).`,
    );
  const once: Session<O> = { ...answerer, maxReasks: 0 };
  const others = patternsOf(answerer).filter((id) => id !== 'S1');
  const about = {
    id: 'S1',
    name: 'zeroShot',
    parts: { answerer: once },
    provides: others,
    calls: { part: 'answerer' },
  } as const;
  return pattern(about, async (run, input: Input) => {
    try {
      return await askOnce(run, once, input);
    } catch (error) {
      if (error instanceof FlyballError && error.code === 'REPLY_INVALID') return failed(failureOf(error));
      throw error;
    }
  });
}
