import type { Failure } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import type { MessagePart } from '../../core/parts.js';
import type { DomainEvent, Run } from '../../core/run.js';
import type { ToolRef, ToolResult } from '../../core/tool.js';
import type { ToolLoopConfig } from './config.js';

/** What became of one proposed call. Every call of a reply gets one, in the order of the reply. */
export interface CallReport {
  readonly call: ToolCall;
  readonly end: 'ok' | 'failed' | 'denied' | 'not-executed';
  readonly content: string;
  /** What the model reads, where it is more than text. */
  readonly parts?: readonly MessagePart[];
  /** What the code got of it, where it succeeded. */
  readonly value?: unknown;
  /** Present when the call was made, whatever came of it. */
  readonly args?: unknown;
  /** What was called, where a call was made. */
  readonly tool?: ToolRef;
  readonly failure?: Failure;
}

/** A call that can be made, or the observation that answers it. */
export type Resolved =
  | { readonly ok: true; readonly tool: ToolRef; readonly args: unknown }
  | { readonly ok: false; readonly failure: Failure; readonly miss?: DomainEvent };

export interface Execution {
  readonly run: Run;
  readonly config: Pick<ToolLoopConfig, 'maxToolCallsPerIteration' | 'parallel'>;
  readonly resolve: (call: ToolCall) => Resolved;
  /** Told of each call that was decided, in order; false ends the execution: what is left is not executed. */
  readonly goesOn: (report: CallReport) => boolean;
}

/**
 * Makes the calls of one reply: neighboring calls of pure tools side by side, everything else one after the other,
 * because a call may rest on what the one before it did. Questions to people stand side by side with questions only: what
 * comes after one waits for the answer, since a no may make it pointless. Reports come in call order either way.
 */
export async function executeCalls(execution: Execution, calls: readonly ToolCall[]): Promise<readonly CallReport[]> {
  const { run, config } = execution;
  const allowed = calls.slice(0, config.maxToolCallsPerIteration);
  const proposals = allowed.map((call) => ({ call, target: execution.resolve(call) }));
  const reports: CallReport[] = [];
  for (const group of groupsOf(proposals, widthFor(execution, allowed.length))) {
    const made = await executeGroup(run, group);
    reports.push(...made);
    // all of a group were made, so all of them count, also those after the one that ends it
    const goesOn = made.map(execution.goesOn).every((goes) => goes);
    if (made.some(isTransfer)) return [...reports, ...leftOut(calls, reports.length, 'the work was handed over')];
    if (!goesOn) return [...reports, ...leftOut(calls, reports.length, 'the loop ends here')];
  }
  const why = `only the first ${config.maxToolCallsPerIteration} calls of a reply are executed; propose it again if it is still needed`;
  return [...reports, ...leftOut(calls, reports.length, why)];
}

/** The call handed over to somebody else: nothing comes after it here. */
export function isTransfer({ end, tool }: CallReport): boolean {
  return end === 'ok' && tool?.transfers !== undefined;
}

function widthFor({ run, config }: Execution, calls: number): number {
  return calls > 1 && config.parallel === 'pure' ? run.budget.limits.width : 1;
}

interface Proposal {
  readonly call: ToolCall;
  readonly target: Resolved;
}

/** Neighbors that may run side by side, at most `width` of them. */
function groupsOf(proposals: readonly Proposal[], width: number): readonly (readonly Proposal[])[] {
  const groups: Proposal[][] = [];
  let open: Abreast = 'alone';
  for (const proposal of proposals) {
    const kind = abreast(proposal);
    const last = groups.at(-1);
    if (kind !== 'alone' && kind === open && last !== undefined && last.length < width) last.push(proposal);
    else groups.push([proposal]);
    open = kind;
  }
  return groups;
}

type Abreast = 'alone' | 'pure' | 'question';

function abreast({ target }: Proposal): Abreast {
  if (!target.ok || classOf(target.tool) !== 'pure' || target.tool.transfers !== undefined) return 'alone';
  return target.tool.asks === undefined ? 'pure' : 'question';
}

export function classOf({ effect }: ToolRef): string {
  return typeof effect === 'string' ? effect : effect.class;
}

/**
 * Side by side in scopes of their own, not as branches: how many there are is bounded by the loop, and a loop inside a
 * branch must not end the run because its siblings use up the width.
 */
async function executeGroup(run: Run, group: readonly Proposal[]): Promise<readonly CallReport[]> {
  const [only] = group;
  if (only !== undefined && group.length === 1) return [await execute(run, only)];
  const settled = await Promise.allSettled(group.map((proposal, n) => execute(run.scope(`lane-${n}`), proposal)));
  return settled.map((end) => {
    if (end.status === 'fulfilled') return end.value;
    throw end.reason; // a failed call is a report: only a bound or a cancellation gets here
  });
}

async function execute(run: Run, { call, target }: Proposal): Promise<CallReport> {
  if (!target.ok) {
    if (target.miss !== undefined) run.note(target.miss);
    return { call, end: 'failed', content: target.failure.message, failure: target.failure };
  }
  const result = await run.call(target.tool, target.args);
  return { call, args: target.args, tool: target.tool, ...endOf(result) };
}

function endOf(result: ToolResult): Pick<CallReport, 'end' | 'content' | 'parts' | 'value' | 'failure'> {
  if (result.ok) {
    const { content, parts, value } = result;
    return { end: 'ok', content, ...(parts === undefined ? {} : { parts }), value };
  }
  const { failure } = result;
  return { end: isDenial(failure) ? 'denied' : 'failed', content: failure.message, failure };
}

/**
 * A refusal by a guard or a person is not an error of the work: it does not count toward consecutive errors, and does
 * not clear them either. Nor does a call that was not executed. Everything else does count: unknown tools, malformed or
 * invalid arguments, blocks of text calls that cannot be read, tools that fail, time out, are left alone by their
 * circuit breaker or trip a limit of their sandbox, and model calls that fail. Only a tool call that succeeds clears
 * the count.
 */
function isDenial({ code }: Failure): boolean {
  return code === 'DENIED' || code === 'APPROVAL_REJECTED' || code === 'NOT_SIMULATED';
}

function leftOut(calls: readonly ToolCall[], from: number, why: string): readonly CallReport[] {
  return calls.slice(from).map((call) => ({ call, end: 'not-executed' as const, content: `Not executed: ${why}.` }));
}
