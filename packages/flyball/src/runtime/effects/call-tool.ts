import { functionOf } from '../../core/agent-function.js';
import { childParts } from '../../core/child-slice.js';
import { strictJson } from '../../core/codec.js';
import { resultStepOf } from '../../core/delegates.js';
import { ConfigError, type Failure, failureOf } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { AgentLike, MadeCall, Run } from '../../core/run.js';
import type { Seams } from '../../core/seams.js';
import type { Delegation, ToolRef, ToolResult } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import type { AnyTool } from './admit.js';
import { call, clipped, type KeptResult, keptResult, MOST_RESULT, restore, shownOf } from './call.js';
import { spawn } from './spawn.js';
import { step } from './step.js';

interface Asked<T> {
  readonly tool: ToolRef<T>;
  readonly args: unknown;
  readonly seams: Seams;
  readonly runFor: (child: Scope) => Run;
}

/** A tool does its work itself, has an agent do it, or hands over to somebody else. */
export function callTool<T>(attempt: Attempt, scope: Scope, asked: Asked<T>): Promise<ToolResult<T>> {
  const { tool, args, seams } = asked;
  const { delegates, transfers } = tool as unknown as AnyTool;
  if (delegates !== undefined) return delegated(attempt, scope, asked);
  if (transfers === undefined) return call(attempt, scope, tool, { args, seams });
  return call(
    attempt,
    scope,
    inPlaceOf(tool, async (given) => transfers.call(tool, given) as T),
    { args, seams },
  );
}

/** The same tool with another body. */
function inPlaceOf<T, U>(tool: ToolRef<T>, execute: (args: unknown) => Promise<U>, more: object = {}): ToolRef<U> {
  const other = { execute, ...more };
  const members = Object.entries(other).map(([name, value]) => [name, { value, enumerable: true }] as const);
  return Object.create(tool, Object.fromEntries(members)) as ToolRef<U>;
}

/**
 * The work of another agent. First the call itself, which passes every guard and gives the arguments that they let pass;
 * then the agent, as a child; then a last turn, where its budget ended before it was done; then the response guard.
 * Each of them is an effect with an identity of its own: a crash in between repeats none of them.
 */
async function delegated<T>(attempt: Attempt, scope: Scope, asked: Asked<T>): Promise<ToolResult<T>> {
  const { tool, args, seams } = asked;
  const { 'tool.exec': _exec, 'tool.post': _post, ...before } = seams;
  const id = `${scope.path}#${scope.effects}`;
  const stub = inPlaceOf(tool, async (given) => given, { present: undefined });
  const admitted = await call<unknown>(attempt, scope, stub, { args, seams: before, isPart: true });
  if (!admitted.ok) return admitted;
  const ended = await worked(attempt, scope, asked, admitted.value);
  const result = await observedResult(attempt, scope, asked, admitted.value, ended);
  attempt.delivery.calls.add(scope.ledger, scope.path, madeBy(id, tool.name, admitted.value, result));
  return result;
}

async function worked<T>(
  attempt: Attempt,
  scope: Scope,
  { tool, runFor }: Asked<T>,
  args: unknown,
): Promise<Outcome<T> | Failure> {
  const spawned = ({ agent, input, slice }: Delegation<T>): Promise<Outcome<T>> =>
    spawn(attempt, scope, { agent: agent as unknown as AgentLike<unknown, T>, input, slice, tool: tool.name, runFor });
  let work: Delegation<T>;
  try {
    work = checkedDelegation((tool as unknown as AnyTool).delegates?.(args) as Delegation<T>);
  } catch (error) {
    return failureOf(error); // whom to ask could not be told from the arguments: an observation, like any bad argument
  }
  const outcome = await spawned(work);
  if (outcome.stop !== 'bounded' || work.handBack === undefined) return outcome;
  let lastTurn: Delegation<T>;
  try {
    lastTurn = checkedDelegation(work.handBack(outcome));
  } catch (error) {
    return notHandedBack(tool.name, outcome, failureOf(error));
  }
  const last = await spawned(lastTurn);
  return last.stop === 'done' || last.stop === 'degraded' ? last : outcome;
}

/** A delegation that can be spawned; what it lacks is told before anything is. */
function checkedDelegation<T>(given: Delegation<T>): Delegation<T> {
  if (typeof given !== 'object' || given === null)
    throw new ConfigError(
      'A delegation is an agent, its input and its slice. Return `delegateTo(agent, input, slice)`.',
    );
  functionOf(given.agent as unknown as AgentLike<unknown, T>);
  childParts(given.slice);
  return given;
}

/** The limit is still what ended it: that its last turn could not be arranged is said beside it. */
function notHandedBack<T>(tool: string, outcome: Outcome<T> & { readonly stop: 'bounded' }, why: Failure): Failure {
  const { code, message, retryable } = boundFailure(tool, outcome);
  return { code, message: `${message} Its handBack failed: ${why.message}`, retryable };
}

/** What the caller reads of it. A delegate that gave no value is an observation, with what there is of its work. */
async function observedResult<T>(
  attempt: Attempt,
  scope: Scope,
  { tool, seams }: Asked<T>,
  args: unknown,
  ended: Outcome<T> | Failure,
): Promise<ToolResult<T>> {
  const failure = 'code' in ended ? ended : failureFor(tool.name, ended);
  if (failure !== undefined) return { ok: false, content: `${tool.name} failed: ${failure.message}`, failure };
  const { value } = ended as Outcome<T> & { readonly stop: 'done' };
  const made = tool as unknown as AnyTool;
  const guarded = (): Promise<KeptResult> => keptResult(attempt, made, args, value, { at: scope.path, seams });
  try {
    const kept =
      seams['tool.post'] === undefined
        ? await guarded()
        : await step(attempt, scope, {
            name: resultStepOf(tool.name),
            input: null,
            effect: guarded,
            effectClass: 'pure',
          });
    return { ok: true, ...shownOf(kept), value: restore(kept) as T };
  } catch (error) {
    const refused = failureOf(error);
    if (refused.code === 'CANCELLED' || refused.code === 'BOUND_REACHED') throw error;
    return { ok: false, content: `${tool.name} failed: ${refused.message}`, failure: refused };
  }
}

function failureFor<T>(tool: string, outcome: Outcome<T>): Failure | undefined {
  switch (outcome.stop) {
    case 'done':
    case 'degraded':
      return undefined;
    case 'failed':
      return { ...outcome.failure, message: withPartial(outcome.failure.message, outcome) };
    case 'bounded':
      return boundFailure(tool, outcome);
    case 'blocked':
    case 'cancelled':
      return {
        code: 'EFFECT_FAILED',
        message: withPartial(`${tool} is ${outcome.stop}: ${outcome.because}`, outcome),
        retryable: false,
        ...(outcome.reason !== undefined && { detail: { reason: outcome.reason } }),
      };
    case 'suspended':
      return { code: 'EFFECT_FAILED', message: `${tool} has not ended.`, retryable: false };
  }
}

function boundFailure<T>(tool: string, outcome: Outcome<T> & { readonly stop: 'bounded' }): Failure {
  const { bound, limit } = outcome;
  const message = withPartial(`${tool} reached its limit (${bound}, ${limit}) before it was done.`, outcome);
  return { code: 'BOUND_REACHED', message, retryable: false };
}

/** Why it ended, with what there is of its work. */
function withPartial(why: string, { partial }: { readonly partial?: unknown }): string {
  if (partial === undefined) return why;
  return `${why}${/[.!?]$/.test(why) ? '' : '.'} So far: ${clipped(strictJson(partial), MOST_RESULT)}`;
}

function madeBy<T>(effect: string, tool: string, args: unknown, result: ToolResult<T>): MadeCall {
  return {
    effect,
    tool,
    args,
    result: clipped(result.content, MOST_RESULT),
    ok: result.ok,
    tookPlace: true,
    ...(result.ok ? {} : { code: result.failure.code }),
  };
}
