import { type BoundReachedError, type Failure, FlyballError, failureOf, unreachable } from '../../core/errors.js';
import { blocked, degraded, done, type EndDetails, failed, type Outcome } from '../../core/outcome.js';

/**
 * Why a tool loop ended.
 * completed: an answer, confirmed where that is asked for. max_iterations: its own cap. error: failures in a row, or a
 * model that cannot be asked. budget_exceeded, duration_exceeded: the run's budget or the autonomy profile.
 * loop_detected: the same call with the same result again and again. content_filter, length: the model was cut off.
 * window_exceeded: the prompt no longer fits, whatever is cleared. stop_condition: one that was asked for.
 * invalid_output: an answer that does not fit its schema after the last repair.
 * transfer: a tool handed the work over to somebody else.
 * unproven_output: an answer that claims what the journal does not show, after the last re-ask.
 */
export type TerminationReason =
  | 'completed'
  | 'max_iterations'
  | 'error'
  | 'budget_exceeded'
  | 'duration_exceeded'
  | 'loop_detected'
  | 'content_filter'
  | 'length'
  | 'window_exceeded'
  | 'stop_condition'
  | 'invalid_output'
  | 'unproven_output'
  | 'transfer';

/** What a tool handed over, for whoever goes on. */
export interface Transfer {
  readonly tool: string;
  readonly package: unknown;
}

/** How the loop stopped, with what explains it. */
export interface Termination {
  readonly reason: TerminationReason;
  readonly why: string;
  /** The bound that was reached, where it was one. */
  readonly bound?: { readonly name: string; readonly limit: number };
  readonly failure?: Failure;
  /** The answer is given out all the same, marked as what it is. */
  readonly isKept?: true;
}

/** What a loop answers. Where it ended without an answer, `partial` of the outcome has the rest of this. */
export interface ToolLoopResult<O = string> {
  /** The parsed answer, where there is a schema; else the text. */
  readonly output: O;
  /** The last text of the model, as it came. */
  readonly rawText: string;
  /** Prompt and output tokens of all model calls, those of compaction included. */
  readonly tokens: number;
  /** The model that answered last. */
  readonly model: string;
  readonly iterations: number;
  /** Calls that were made, denied ones included: what the budget counts. */
  readonly toolCalls: number;
  /** Each tool once, in the order of first use. */
  readonly toolsUsed: readonly string[];
  readonly termination: TerminationReason;
  readonly why: string;
  /** Where the loop ended with `transfer`. */
  readonly transfer?: Transfer;
}

/** What a loop ends with: an output only where there is an answer. */
export type LoopResult<O> = Omit<ToolLoopResult<O>, 'output'> & { readonly output?: O };

/**
 * The one mapping from reasons to outcomes: only a completed loop is `done`, and only an answer that is cut or unproven is
 * `degraded`. Whoever reads either finds an output there.
 */
export function outcomeFor<O>(termination: Termination, result: LoopResult<O>): Outcome<ToolLoopResult<O>> {
  const { reason, why, bound } = termination;
  switch (reason) {
    case 'completed':
      return hasOutput(result) ? done(result) : failed<ToolLoopResult<O>>(failureFor(termination), { partial: result });
    case 'length':
      return hasOutput(result)
        ? degraded(result, why)
        : failed<ToolLoopResult<O>>(failureFor(termination), { partial: result });
    case 'content_filter':
      return blocked<ToolLoopResult<O>>(why, { partial: result });
    case 'transfer': // there is no answer: whoever reads the package goes on, also where a report is not handed on
      return blocked<ToolLoopResult<O>>(why, { partial: result, ...handedOver(result) });
    case 'unproven_output':
      if (termination.isKept === true && hasOutput(result)) return degraded(result, why);
      return failed<ToolLoopResult<O>>(failureFor(termination), { partial: result });
    case 'error':
    case 'invalid_output':
      return failed<ToolLoopResult<O>>(failureFor(termination), { partial: result });
    case 'max_iterations':
    case 'budget_exceeded':
    case 'duration_exceeded':
    case 'loop_detected':
    case 'window_exceeded':
    case 'stop_condition':
      return { stop: 'bounded', bound: bound?.name ?? reason, limit: bound?.limit ?? 0, partial: result };
    default:
      return unreachable(reason);
  }
}

function handedOver<O>({ transfer }: LoopResult<O>): Pick<EndDetails<never>, 'reason'> {
  return transfer === undefined ? {} : { reason: { code: 'transfer', data: { ...transfer } } };
}

function hasOutput<O>(result: LoopResult<O>): result is ToolLoopResult<O> {
  return 'output' in result;
}

function failureFor({ failure, reason, why }: Termination): Failure {
  const code =
    reason === 'unproven_output' ? 'CLAIM_UNPROVEN' : reason === 'length' ? 'REPLY_INVALID' : 'EFFECT_FAILED';
  return failure ?? failureOf(new FlyballError(code, why));
}

/** What the end of the run's own budget means for the loop. */
export function terminationOfBound(error: BoundReachedError): Termination {
  const { bound: name, limit } = error;
  return { reason: reasonOfBound(name), why: error.message, bound: { name, limit } };
}

function reasonOfBound(bound: string): TerminationReason {
  if (bound === 'wallMs' || bound === 'deadline') return 'duration_exceeded';
  return bound === 'noProgress' ? 'loop_detected' : 'budget_exceeded';
}
