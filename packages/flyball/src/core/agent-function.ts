import { ConfigError } from './errors.js';
import type { Agent, AgentLike } from './run.js';

/** The function of an agent. Whoever hands over something else learns so at once, and not from a child that fails. */
export function functionOf<I, O>(given: AgentLike<I, O>): Agent<I, O> {
  const agent: unknown = typeof given === 'object' && given !== null ? given.agent : given;
  if (typeof agent === 'function') return agent as Agent<I, O>;
  throw new ConfigError(
    'spawn needs an agent: a function (run, input) => outcome, or the result of defineAgent or workflow.',
  );
}
