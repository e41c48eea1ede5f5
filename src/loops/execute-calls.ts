import type { Failure } from '../core/errors.js';
import type { ToolCall } from '../core/model.js';
import type { Run } from '../core/run.js';
import type { ToolRef, ToolResult } from '../core/tool.js';
import type { ToolLoopConfig } from './config.js';

/** What became of one proposed call. Every call of a reply gets one, in the order of the reply. */
export interface CallReport {
  readonly call: ToolCall;
  readonly end: 'ok' | 'failed' | 'denied' | 'not-executed';
  readonly content: string;
  readonly args?: unknown;
  readonly failure?: Failure;
}

/** A call that can be made, or the observation that answers it. */
export type Resolved =
  | { readonly ok: true; readonly tool: ToolRef; readonly args: unknown }
  | { readonly ok: false; readonly failure: Failure };

export interface Execution {
  readonly run: Run;
  readonly config: ToolLoopConfig;
  readonly resolve: (call: ToolCall) => Resolved;
  /** Told of each report in order; false ends the execution: the calls left are answered as not executed. */
  readonly goesOn: (report: CallReport) => boolean;
}

/**
 * Makes the calls of one reply: neighbouring calls of pure tools side by side, everything else one after the other,
 * because a call may rest on what the one before it did. Reports come in call order either way.
 */
export async function executeCalls(execution: Execution, calls: readonly ToolCall[]): Promise<readonly CallReport[]> {
  const { config, resolve } = execution;
  const allowed = calls.slice(0, config.maxToolCallsPerIteration);
  const resolved = allowed.map((call) => ({ call, target: resolve(call) }));
  const reports: CallReport[] = [];
  for (const group of groupsOf(resolved, config.parallel)) {
    for (const report of await executeGroup(execution.run, group)) {
      reports.push(report);
      if (!execution.goesOn(report)) return [...reports, ...leftOut(calls, reports.length, 'the loop ends here')];
    }
  }
  const why = `only the first ${config.maxToolCallsPerIteration} calls of a reply are executed; propose it again if it is still needed`;
  return [...reports, ...leftOut(calls, reports.length, why)];
}

interface Proposal {
  readonly call: ToolCall;
  readonly target: Resolved;
}

function groupsOf(
  proposals: readonly Proposal[],
  parallel: ToolLoopConfig['parallel'],
): readonly (readonly Proposal[])[] {
  const groups: Proposal[][] = [];
  let isOpen = false;
  for (const proposal of proposals) {
    const joins = parallel === 'pure' && proposal.target.ok && isPure(proposal.target.tool);
    const last = groups.at(-1);
    if (joins && isOpen && last !== undefined) last.push(proposal);
    else groups.push([proposal]);
    isOpen = joins;
  }
  return groups;
}

function isPure({ effect }: ToolRef): boolean {
  return (typeof effect === 'string' ? effect : effect.class) === 'pure';
}

async function executeGroup(run: Run, group: readonly Proposal[]): Promise<readonly CallReport[]> {
  const [only] = group;
  if (only !== undefined && group.length === 1) return [await execute(run, only)];
  const settled = await run.all(
    group.map((proposal) => (branch: Run) => execute(branch, proposal)),
    group.length,
  );
  return settled.map((end) => {
    if (end.ok) return end.value;
    throw end.error; // a failed call is a report: only a bound or a cancellation gets here
  });
}

async function execute(run: Run, { call, target }: Proposal): Promise<CallReport> {
  if (!target.ok) return { call, end: 'failed', content: target.failure.message, failure: target.failure };
  const result = await run.call(target.tool, target.args);
  return { call, args: target.args, ...endOf(result) };
}

function endOf(result: ToolResult): Pick<CallReport, 'end' | 'content' | 'failure'> {
  if (result.ok) return { end: 'ok', content: result.content };
  const { failure } = result;
  return { end: isDenial(failure) ? 'denied' : 'failed', content: failure.message, failure };
}

/**
 * A refusal by a guard or a person is not an error of the work: it does not count toward consecutive errors, and does
 * not clear them either. Everything else does count: unknown tools, malformed or invalid arguments, tools that fail,
 * time out, are left alone by their circuit breaker or trip a limit of their sandbox.
 */
function isDenial({ code }: Failure): boolean {
  return code === 'DENIED' || code === 'APPROVAL_REJECTED' || code === 'NOT_SIMULATED';
}

function leftOut(calls: readonly ToolCall[], from: number, why: string): readonly CallReport[] {
  return calls.slice(from).map((call) => ({ call, end: 'not-executed' as const, content: `Not executed: ${why}.` }));
}
