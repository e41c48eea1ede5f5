import { BoundReachedError, ConfigError, FlyballError, failureOf } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { Prompt } from '../core/prompt.js';
import type { Agent, Run } from '../core/run.js';
import type { Input, Reply } from '../core/session.js';
import { underSetup } from '../core/setup-chain.js';
import { CONFIRMATION } from './confirmation.js';
import { executeCalls } from './execute-calls.js';
import { fitWindow } from './fit-window.js';
import type { LoopParts, ToolLoopOptions } from './loop-parts.js';
import { partsOf } from './loop-parts.js';
import { LoopState } from './loop-state.js';
import { type Proposals, proposalsIn, withReports } from './proposals.js';
import { outcomeFor, type Termination, terminationOfBound } from './termination.js';

/** What a loop ends with, whatever the reason. */
export interface ToolLoopResult<O = string> {
  /** The parsed answer, where there is a schema; else the text. Absent when the loop ended without an answer. */
  readonly output?: O;
  /** The last text of the model, as it came. */
  readonly rawText: string;
  /** Prompt and output tokens of all model calls. */
  readonly tokens: number;
  /** The model that answered last. */
  readonly model: string;
  readonly iterations: number;
  readonly toolCalls: number;
  /** Each tool once, in the order of first use. */
  readonly toolsUsed: readonly string[];
  readonly termination: Termination['reason'];
  readonly why: string;
}

/** A finished loop with the conversation it leaves behind: what a next turn goes on from. */
export interface ToolLoopEnd<O> {
  readonly outcome: Outcome<ToolLoopResult<O>>;
  readonly prompt: Prompt;
}

/** Model ↔ tools until an answer. Streaming, tracing and resuming are views of this same loop. */
export function toolLoop<O = string>(options: ToolLoopOptions<O>): Agent<Input, ToolLoopResult<O>> {
  const parts = partsOf(options);
  return async (run, input) => (await runToolLoop(run, parts, input)).outcome;
}

/** As `toolLoop`, for code that goes on with the conversation. */
export async function runToolLoop<O>(run: Run, parts: LoopParts<O>, input: Input): Promise<ToolLoopEnd<O>> {
  const state = new LoopState(parts, underSetup(parts.session, input));
  run.note({ kind: 'loop-start', loop: run.path, session: parts.session.name, tools: parts.toolset.tools.map(nameOf) });
  const end = await iterate(run, parts, state);
  const result = resultOf(state, end);
  run.note({
    kind: 'loop-end',
    loop: run.path,
    reason: result.termination,
    iterations: result.iterations,
    toolCalls: result.toolCalls,
  });
  return { outcome: outcomeFor(end.termination, result), prompt: state.prompt };
}

interface LoopStop<O> {
  readonly termination: Termination;
  readonly output?: O;
}

/** Runs until something ends it. A bound of the run is an end like any other; a cancellation is not ours to catch. */
async function iterate<O>(run: Run, parts: LoopParts<O>, state: LoopState): Promise<LoopStop<O>> {
  try {
    for (;;) {
      const end = (await beforeIteration(run, parts, state)) ?? (await iteration(run, parts, state));
      if (end !== undefined) return end;
    }
  } catch (error) {
    if (error instanceof BoundReachedError) return { termination: terminationOfBound(error) };
    throw error;
  }
}

async function beforeIteration<O>(run: Run, parts: LoopParts<O>, state: LoopState): Promise<LoopStop<O> | undefined> {
  const { maxIterations } = parts.config;
  if (state.iterations >= maxIterations)
    return stop('max_iterations', `no answer within ${maxIterations} iterations`, {
      name: 'iterations',
      limit: maxIterations,
    });
  const refusal = parts.mayIterate(run.budget.spent());
  if (refusal !== undefined) return { termination: refusal };
  run.budget.take('iterations');
  state.iterations++;
  run.note({ kind: 'iteration', loop: run.path, n: state.iterations });
  const fits = await fitWindow(run, parts, state);
  return fits === undefined ? undefined : { termination: fits };
}

async function iteration<O>(run: Run, parts: LoopParts<O>, state: LoopState): Promise<LoopStop<O> | undefined> {
  const reply = await asked(run, state);
  if (reply instanceof FlyballError) return modelFailed(parts, state, reply);
  state.heard(reply);
  const proposals = proposalsIn(parts, state, reply);
  const end =
    proposals.kind === 'answer' ? await answered(run, parts, state, reply) : await acted(run, parts, state, proposals);
  await parts.observe(run, state.takeObservations());
  return end ?? parts.stopCondition(state.facts(run.budget.spent()));
}

/** A failed call is a value here: it counts as an error, and the loop may go on. */
async function asked(run: Run, state: LoopState): Promise<Reply<string> | FlyballError> {
  try {
    return await run.ask(state.session, state.prompt);
  } catch (error) {
    if (!(error instanceof FlyballError) || error instanceof BoundReachedError || error.code === 'CANCELLED')
      throw error;
    return error;
  }
}

function modelFailed<O>(parts: LoopParts<O>, state: LoopState, error: FlyballError): LoopStop<O> | undefined {
  const failure = failureOf(error);
  state.failed(failure);
  if (error.code === 'WINDOW_EXCEEDED')
    return { termination: { reason: 'window_exceeded', why: error.message, failure } };
  if (error.retryable && state.consecutiveErrors < parts.config.maxConsecutiveErrors) return undefined;
  return { termination: { reason: 'error', why: error.message, failure } };
}

async function answered<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  reply: Reply<string>,
): Promise<LoopStop<O> | undefined> {
  switch (reply.finish) {
    case 'content_filter':
      return stop('content_filter', 'the model refused to answer');
    case 'error':
      return stop('error', 'the model ended its reply with an error');
    case 'length':
      return {
        ...stop<O>('length', 'the answer is cut at the limit of output tokens'),
        ...outputOf(await parts.read(run, reply.text)),
      };
    case 'stop':
    case 'tool_calls':
      break;
  }
  if (parts.confirms && !state.isConfirming) {
    state.confirm(CONFIRMATION);
    return undefined;
  }
  return accepted(run, parts, state, reply);
}

async function accepted<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  reply: Reply<string>,
): Promise<LoopStop<O> | undefined> {
  const read = await parts.read(run, reply.text);
  if (read.ok) return { ...stop<O>('completed', 'answered'), output: read.value };
  if (state.repairs >= parts.maxRepairs) {
    const failure = failureOf(new FlyballError('REPLY_INVALID', `The answer does not fit its schema: ${read.problem}`));
    return { termination: { reason: 'invalid_output', why: failure.message, failure } };
  }
  state.repair(read.problem);
  return undefined;
}

function outputOf<O>(read: { readonly ok: true; readonly value: O } | { readonly ok: false }): { readonly output?: O } {
  return read.ok ? { output: read.value } : {};
}

async function acted<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  proposals: Exclude<Proposals, { readonly kind: 'answer' }>,
): Promise<LoopStop<O> | undefined> {
  state.isConfirming = false; // further work arms the question again
  if (proposals.kind === 'malformed') {
    state.malformed(proposals.problem);
    return tooManyErrors(parts, state);
  }
  const reports = await executeCalls(
    { run, config: parts.config, resolve: state.resolve, goesOn: (report) => state.count(report) },
    proposals.calls,
  );
  state.prompt = withReports(parts, state, reports);
  return tooManyErrors(parts, state) ?? repeated(parts, state);
}

function tooManyErrors<O>(parts: LoopParts<O>, state: LoopState): LoopStop<O> | undefined {
  const { maxConsecutiveErrors } = parts.config;
  if (state.consecutiveErrors < maxConsecutiveErrors) return undefined;
  const failure = state.lastFailure ?? failureOf(new ConfigError('no failure was recorded'));
  const why = `${maxConsecutiveErrors} failures in a row, the last one: ${failure.message}`;
  return { termination: { reason: 'error', why, failure } };
}

function repeated<O>(parts: LoopParts<O>, state: LoopState): LoopStop<O> | undefined {
  if (state.repeatedCall === undefined) return undefined;
  const limit = parts.config.repeatLimit;
  return stop('loop_detected', `${state.repeatedCall} gave the same result ${limit} times for the same arguments`, {
    name: 'noProgress',
    limit,
  });
}

function stop<O>(reason: Termination['reason'], why: string, bound?: Termination['bound']): LoopStop<O> {
  return { termination: { reason, why, ...(bound === undefined ? {} : { bound }) } };
}

function resultOf<O>(state: LoopState, end: LoopStop<O>): ToolLoopResult<O> {
  return {
    ...(end.output === undefined ? {} : { output: end.output }),
    rawText: state.rawText,
    tokens: state.tokens,
    model: state.model,
    iterations: state.iterations,
    toolCalls: state.toolCalls,
    toolsUsed: [...state.toolsUsed],
    termination: end.termination.reason,
    why: end.termination.why,
  };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
