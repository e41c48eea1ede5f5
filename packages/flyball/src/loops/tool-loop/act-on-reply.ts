import { FlyballError, failureOf } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import { unproven } from '../../core/proofs.js';
import type { Run } from '../../core/run.js';
import type { Checked } from '../../core/schema.js';
import type { Reply } from '../../core/session.js';
import { CONFIRMATION } from './confirmation.js';
import { executeCalls, isTransfer, type Resolved } from './execute-calls.js';
import type { LoopParts } from './loop-parts.js';
import type { LoopState } from './loop-state.js';
import { type Proposals, proposalsIn, withoutInvented, withReports } from './proposals.js';
import type { Termination, Transfer } from './termination.js';

/** How a loop stops. */
export interface LoopStop<O> {
  readonly termination: Termination;
  readonly output?: O;
  readonly transfer?: Transfer;
}

export function stop<O>(reason: Termination['reason'], why: string, bound?: Termination['bound']): LoopStop<O> {
  return { termination: { reason, why, ...(bound === undefined ? {} : { bound }) } };
}

/** Acts on one reply of the model: makes its calls, asks for confirmation, or takes it as the answer. */
export async function actOn<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  given: Reply<string>,
): Promise<LoopStop<O> | undefined> {
  const reply = withoutInvented(run, parts, given);
  state.heard(reply);
  // a reply that was broken off is not acted on, whatever it proposes
  if (reply.finish === 'content_filter') return stop('content_filter', 'the model refused to answer');
  if (reply.finish === 'error') return stop('error', 'the model ended its reply with an error');
  const proposals = proposalsIn(parts, state, reply);
  if (proposals.kind !== 'answer' && reply.text.trim() !== '') parts.heard?.(reply.text);
  return proposals.kind === 'answer' ? answered(run, parts, state, reply) : acted(run, parts, state, reply, proposals);
}

/** What a person said while it was written or read goes into one more round: it is no answer to that. */
async function answered<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  reply: Reply<string>,
): Promise<LoopStop<O> | undefined> {
  const end = state.hasUnheard(run.instructions()) ? undefined : await judged(run, parts, state, reply);
  return state.hasUnheard(run.instructions()) ? undefined : end;
}

async function judged<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  reply: Reply<string>,
): Promise<LoopStop<O> | undefined> {
  if (reply.finish === 'length') {
    const read = await parts.read(run, reply.text);
    const cut = stop<O>('length', 'the answer is cut at the limit of output tokens');
    const end = accepted(run, parts, state, reply, read);
    return end?.termination.reason === 'completed' ? { ...end, ...cut } : end;
  }
  if (parts.confirms && !state.isConfirming) {
    state.confirm(CONFIRMATION);
    return undefined;
  }
  const isEmpty = reply.text.trim() === '';
  const read = isEmpty ? ({ ok: false, problem: 'The answer is empty.' } as const) : await parts.read(run, reply.text);
  return accepted(run, parts, state, reply, read);
}

/** Taken when it fits and the journal shows what it claims, and else asked for again with the reason. */
function accepted<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  reply: Reply<string>,
  read: Checked<O>,
): LoopStop<O> | undefined {
  const claims = read.ok ? parts.prove?.(run, read.value, reply.text) : undefined;
  if (read.ok && claims === undefined) return { ...stop<O>('completed', 'answered'), output: read.value };
  const next = state.reasks.after(run, reply, read.ok ? unproven(claims ?? '') : read);
  if (!(next instanceof FlyballError)) {
    state.prompt = next;
    return undefined;
  }
  const why = next.message;
  if (!read.ok) return { termination: { reason: 'invalid_output', why, failure: failureOf(next) } };
  if (parts.whenUnproven === 'degrade')
    return { termination: { reason: 'unproven_output', why, isKept: true }, output: read.value };
  return { termination: { reason: 'unproven_output', why, failure: failureOf(next) } };
}

async function acted<O>(
  run: Run,
  parts: LoopParts<O>,
  state: LoopState,
  reply: Reply<string>,
  proposals: Exclude<Proposals, { readonly kind: 'answer' }>,
): Promise<LoopStop<O> | undefined> {
  state.isConfirming = false; // further work arms the question again
  if (proposals.kind === 'malformed') {
    state.malformed(proposals.problem);
    return tooManyErrors(parts, state);
  }
  const resolve = (call: ToolCall): Resolved => (isCut(reply, call) ? cutOff(call) : state.resolve(call, reply));
  const goesOn = state.count.bind(state);
  const reports = await executeCalls({ run, config: parts.config, resolve, goesOn }, proposals.calls);
  for (const report of reports) if (report.end === 'not-executed') state.observeCall(report);
  state.prompt = withReports(parts, state, reports);
  const handedOver = reports.find(isTransfer);
  if (handedOver !== undefined) {
    const { call, value } = handedOver;
    return { ...stop<O>('transfer', `handed over by ${call.name}`), transfer: { tool: call.name, package: value } };
  }
  return tooManyErrors(parts, state) ?? repeated(parts, state);
}

/** Arguments that were cut off before their first character would else pass for none. */
function isCut({ finish, toolCalls }: Reply<string>, call: ToolCall): boolean {
  return finish === 'length' && call === toolCalls.at(-1) && call.arguments.trim() === '';
}

function cutOff({ name }: ToolCall): Resolved {
  const message = `the call of ${name} was cut at the limit of output tokens`;
  return { ok: false, failure: { code: 'INPUT_INVALID', message, retryable: false } };
}

function tooManyErrors<O>({ config }: LoopParts<O>, { calls: { lastStraw } }: LoopState): LoopStop<O> | undefined {
  if (lastStraw === undefined) return undefined;
  const why = `${config.maxConsecutiveErrors} failures in a row, the last one: ${lastStraw.message}`;
  return { termination: { reason: 'error', why, failure: lastStraw } };
}

function repeated<O>(parts: LoopParts<O>, state: LoopState): LoopStop<O> | undefined {
  const limit = parts.config.repeatLimit;
  if (state.calls.repeated === undefined || limit === 'off') return undefined;
  return stop('loop_detected', `${state.calls.repeated} gave the same result ${limit} times for the same arguments`, {
    name: 'noProgress',
    limit,
  });
}
