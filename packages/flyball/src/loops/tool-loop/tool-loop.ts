import { BoundReachedError, FlyballError, failureOf } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { Prompt } from '../../core/prompt.js';
import { underSetup } from '../../core/request.js';
import type { Agent, Run } from '../../core/run.js';
import type { Input, Reply } from '../../core/session.js';
import { actOn, type LoopStop, stop } from './act-on-reply.js';
import { mayIterate, stopCondition } from './autonomy-check.js';
import { fitWindow } from './fit-window.js';
import type { LoopParts, Measures, ToolLoopOptions } from './loop-parts.js';
import { measuresOf, partsOf } from './loop-parts.js';
import { LoopState } from './loop-state.js';
import { withoutOpenCalls } from './proposals.js';
import { type LoopResult, outcomeFor, type ToolLoopResult, terminationOfBound } from './termination.js';

/** A finished loop with the conversation it leaves behind: what a next turn goes on from. */
export interface ToolLoopEnd<O> {
  readonly outcome: Outcome<ToolLoopResult<O>>;
  readonly prompt: Prompt;
  /** Calls of the worker's model. Those that keep the window small are scopes of their own. */
  readonly turns: number;
}

/** Creates an agent that calls a model and the tools it proposes until there is an answer. */
export function toolLoop<O = string>(options: ToolLoopOptions<O>): Agent<Input, ToolLoopResult<O>> {
  const parts = partsOf(options);
  return async (run, input) => (await runToolLoop(run, parts, input)).outcome;
}

/** Like `toolLoop`, and also returns the prompt, so that your code can continue the conversation. */
export async function runToolLoop<O>(run: Run, parts: LoopParts<O>, input: Input): Promise<ToolLoopEnd<O>> {
  const state = new LoopState(parts, underSetup(parts.session, input));
  begin(run, parts);
  const end = await iterate(run, parts, state);
  const result = resultOf(state, end);
  run.note({
    kind: 'loop-end',
    loop: run.path,
    reason: result.termination,
    iterations: result.iterations,
    toolCalls: result.toolCalls,
  });
  const { turns } = state;
  return { outcome: outcomeFor(end.termination, result), prompt: withoutOpenCalls(state.prompt), turns };
}

function begin<O>(run: Run, { session, toolset, withheld, warnings, capture }: LoopParts<O>): void {
  run.note({
    kind: 'loop-start',
    loop: run.path,
    agent: session.name,
    tools: toolset.names,
    ...(withheld.length > 0 ? { withheld } : {}),
  });
  for (const why of warnings)
    run.note({ kind: 'decision', content: why, guard: 'tool-budget', verdict: 'warned', loop: run.path });
  capture?.begin(run);
}

/** Runs until something ends it. A bound of the run is an end like any other; a cancellation is not ours to catch. */
async function iterate<O>(run: Run, given: LoopParts<O>, state: LoopState): Promise<LoopStop<O>> {
  try {
    const parts = await measured(run, given);
    for (;;) {
      const end = (await beforeIteration(run, parts, state)) ?? (await iteration(run, parts, state));
      if (end !== undefined) return end;
    }
  } catch (error) {
    if (error instanceof BoundReachedError) return { termination: terminationOfBound(error) };
    throw error;
  }
}

/**
 * With the measures that the run began with: they decide what goes into a prompt and when it is counted, and a resumed
 * run must decide the same also where its model has another window by now.
 */
async function measured<O>(run: Run, parts: LoopParts<O>): Promise<LoopParts<O>> {
  const { session, config } = parts;
  const kept: Measures = await run.step('window', {}, () => measuresOf(run.framed(session), config), 'pure');
  return { ...parts, ...kept };
}

async function beforeIteration<O>(run: Run, parts: LoopParts<O>, state: LoopState): Promise<LoopStop<O> | undefined> {
  const { maxIterations } = parts.config;
  if (state.iterations >= maxIterations)
    return stop('max_iterations', `no answer within ${maxIterations} iterations`, {
      name: 'iterations',
      limit: maxIterations,
    });
  const refusal = await mayIterate(run, parts, state);
  if (refusal !== undefined) return { termination: refusal };
  run.budget.take('iterations');
  state.iterations++;
  run.note({ kind: 'iteration', loop: run.path, n: state.iterations });
  if (parts.config.safePoints) await run.step('safe-point', {}, () => null, 'pure');
  state.redirect(run.instructions());
  const overflow = await fitWindow(run, parts, state);
  return overflow === undefined ? undefined : { termination: overflow };
}

async function iteration<O>(run: Run, parts: LoopParts<O>, state: LoopState): Promise<LoopStop<O> | undefined> {
  const reply = await asked(run, state);
  const end = reply instanceof FlyballError ? modelFailed(state, reply) : await actOn(run, parts, state, reply);
  if (parts.capture !== undefined) await parts.capture.flush(run, state.takeObservations());
  if (end !== undefined) return end;
  const met = stopCondition(run, parts, state);
  return met === undefined ? undefined : { termination: met };
}

/** A failed call is a value here: it counts as an error, and the loop may go on. */
async function asked(run: Run, state: LoopState): Promise<Reply<string> | FlyballError> {
  try {
    const reply = await run.ask(state.session, state.prompt);
    state.turns++;
    return reply;
  } catch (error) {
    if (!(error instanceof FlyballError) || error instanceof BoundReachedError || error.code === 'CANCELLED')
      throw error;
    state.turns++;
    return error;
  }
}

function modelFailed(state: LoopState, error: FlyballError): LoopStop<never> | undefined {
  const failure = failureOf(error);
  state.calls.failed(failure);
  state.observeFailure(failure);
  if (error.code === 'WINDOW_EXCEEDED')
    return { termination: { reason: 'window_exceeded', why: error.message, failure } };
  if (error.retryable && state.calls.lastStraw === undefined) return undefined;
  return { termination: { reason: 'error', why: error.message, failure } };
}

function resultOf<O>(state: LoopState, end: LoopStop<O>): LoopResult<O> {
  return {
    ...('output' in end ? { output: end.output } : {}),
    rawText: state.rawText,
    tokens: state.tokens,
    model: state.model,
    iterations: state.iterations,
    toolCalls: state.calls.made,
    toolsUsed: [...state.calls.tools.keys()],
    termination: end.termination.reason,
    why: end.termination.why,
    ...(end.transfer === undefined ? {} : { transfer: end.transfer }),
  };
}
