import type { MadeCall, Run } from '../../core/run.js';
import type { SeamMiddleware } from '../../core/seams.js';
import { effectKindOf } from './effect-kind.js';

type Answered = Pick<MadeCall, 'tool' | 'code' | 'declined'>;

/** A person said no: to a question, or to a call that they had to approve. */
export function isNo({ code, declined }: Answered): boolean {
  return declined === true || code === 'APPROVAL_REJECTED';
}

/**
 * The no that a step ends with. A no to a question stands whatever is asked after it: nothing ties the next yes to what
 * the first question was about. An approval is of one very call, so a later call of that tool that was let pass replaces
 * a rejection.
 */
export function standingNo(calls: readonly MadeCall[]): MadeCall | undefined {
  const lastOf = new Map(calls.map((call) => [call.tool, call]));
  return calls.find(({ declined }) => declined === true) ?? [...lastOf.values()].find(isNo);
}

export function noText({ tool, declined }: MadeCall): string {
  return declined === true ? `a person said no when asked by ${tool}` : `a person did not approve ${tool}`;
}

/** After a no to a question the step may still look things up and say what happened, but changes nothing more. */
export function heedingNo(run: Run, calls: () => readonly MadeCall[]): Run {
  const guard: SeamMiddleware<'tool.pre'> = (next) => async (value, context) => {
    const no = effectKindOf(value.tool) === 'pure' ? undefined : calls().find(({ declined }) => declined === true);
    return no === undefined
      ? next(value, context)
      : { allow: false, why: `${noText(no)}, so this step changes nothing` };
  };
  return run.guarded({ 'tool.pre': [guard] });
}
