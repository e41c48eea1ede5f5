import type { ToolChoice } from '../../core/model.js';
import type { Run } from '../../core/run.js';
import type { Input, Reply, Session } from '../../core/session.js';

/**
 * The same run, but the first reply of this session has to be a call. Only the first: a model that is made to call in
 * every turn could never say that it is done. A failed request does not use it up.
 */
export function forcingOnce(run: Run, session: string, toolChoice: ToolChoice): Run {
  let isForcing = true;
  const ask = async <T>(asked: Session<T>, input: Input): Promise<Reply<T>> => {
    if (!isForcing || asked.name !== session) return run.ask(asked, input);
    const reply = await run.ask({ ...asked, toolChoice }, input);
    isForcing = false;
    return reply;
  };
  // on the run, not a copy of it: its signal is made only where it is read
  return Object.create(run, { ask: { value: ask } }) as Run;
}
