import { type Agent, type Budget, type Clock, type Outcome, type Seams, systemClock } from 'flyball';
import { type LifeOptions, Stage } from '../runtime/stage.js';

/** Runs an agent over a real runtime, as its caller would. */
export async function runAgent<O>(
  agent: Agent<never, O>,
  input: unknown = null,
  given: { readonly seams?: Seams; readonly limits?: Partial<Budget>; readonly options?: LifeOptions['options'] } = {},
): Promise<{ readonly outcome: Outcome<O>; readonly stage: Stage<Clock> }> {
  const stage = new Stage<Clock>(systemClock());
  const { seams, options } = given;
  const how = { ...(seams === undefined ? {} : { seams }), ...(options === undefined ? {} : { options }) };
  const life = stage.open(agent, how);
  return { outcome: (await life.start(input, given.limits)) as Outcome<O>, stage };
}

/** The value of an outcome that has one. */
export function gained<O>(outcome: Outcome<O>): O {
  if ('value' in outcome) return outcome.value;
  throw new Error(`It ended ${JSON.stringify(outcome)}.`);
}
