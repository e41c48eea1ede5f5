import { type Amounts, isAmount } from '../../core/budget.js';
import { fingerprint, strictJson } from '../../core/codec.js';
import { ConfigError, failureOf } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import { check } from '../../core/schema.js';
import type { Tool, ToolRef, ToolResult } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../pending.js';
import type { Scope } from '../scope.js';
import { hasSeam, through } from '../seams.js';
import { type Act, failureIn, learnCompensation, RefusedResult, rulesOf } from './act.js';
import { driveAct } from './drive-act.js';
import { ask } from './effect.js';

type AnyTool = Tool<unknown, unknown>;

/** A governed tool call: view, schema and guards before INTENT, execution and response guard inside, an observation after. */
export function call<T>(attempt: Attempt, scope: Scope, tool: ToolRef<T>, args: unknown): Promise<ToolResult<T>> {
  const given = tool as unknown as AnyTool;
  // made ready when the call starts live; on replay the journal's arguments take their place
  const ready: { act: Act } = { act: actOf(attempt, given, args, '') };
  return ask<ToolResult<T>>(attempt, scope, {
    kind: 'call',
    fp: fingerprint('call', given.name, args),
    want: { toolCalls: 1, ...reservationOf(given, args) },
    drive: async (pending) => {
      const admitted = await admit(attempt, pending, given, args);
      if (admitted === undefined) return;
      ready.act = actOf(attempt, given, admitted.args, pending.id);
      await driveAct(attempt, pending, ready.act);
    },
    learn: (end) => learnCompensation(attempt, ready.act, end),
    answer: (end) => {
      const failure = failureIn(end);
      if (failure !== undefined) return { ok: false, content: `${given.name} failed: ${failure.message}`, failure };
      const { result, how } = end as EventOf<'complete'>;
      return {
        ok: true,
        content: (result as KeptResult).text,
        value: restore(result) as T,
        ...(how === 'simulated' ? { simulated: true } : {}),
      };
    },
  });
}

/** A declared amount that is no amount must not lift a bound. */
function reservationOf(tool: AnyTool, args: unknown): Partial<Amounts> {
  const declared = tool.reserve?.(args) ?? {};
  for (const [axis, amount] of Object.entries(declared)) {
    if (!isAmount(amount))
      throw new ConfigError(`Tool ${tool.name} reserves ${String(amount)} ${axis}: not a finite number of at least 0.`);
  }
  return declared;
}

function actOf(attempt: Attempt, tool: AnyTool, args: unknown, at: string): Act {
  const { seams } = attempt.host;
  return {
    of: 'call',
    name: tool.name,
    input: args,
    ...rulesOf(tool.effect),
    body: async (how) => {
      const ctx = attempt.seamContext(at);
      const ref = tool as unknown as ToolRef;
      if (!hasSeam(seams, 'tool.exec') && !hasSeam(seams, 'tool.post')) return tool.execute(args, how);
      const result = await through(seams, 'tool.exec', () => tool.execute(args, how))(
        { tool: ref, args, key: how.key },
        ctx,
      );
      const guard = through(seams, 'tool.post', async (value) => value.result);
      return guard({ tool: ref, args, result }, ctx).catch((error: unknown) => new RefusedResult(error));
    },
    keep: (value) => keep(tool, value),
    restore,
  };
}

/** Arguments that may be used, or undefined when the refusal is already recorded as the call's observation. */
async function admit(
  attempt: Attempt,
  pending: Pending,
  tool: AnyTool,
  args: unknown,
): Promise<{ readonly args: unknown } | undefined> {
  const starts = attempt.recorded.starts.get(pending.id);
  const recorded = starts?.find(({ event, inherited }) => event.type === 'intent' && !inherited)?.event;
  if (recorded?.type === 'intent') return { args: recorded.input }; // guards agreed in an earlier life
  let seam: 'schema' | 'tool.pre' = 'schema';
  try {
    const checked = tool.input === undefined ? ({ ok: true, value: args } as const) : await check(tool.input, args);
    if (!checked.ok) return refuse(attempt, pending, tool, seam, `invalid arguments: ${checked.problem}`);
    if (!hasSeam(attempt.host.seams, 'tool.pre')) return { args: checked.value };
    seam = 'tool.pre';
    const guard = through(attempt.host.seams, seam, async (value) => ({ allow: true, args: value.args }) as const);
    const verdict = await guard({ tool, args: checked.value }, attempt.seamContext(pending.id));
    return verdict.allow ? { args: verdict.args } : refuse(attempt, pending, tool, seam, verdict.why);
  } catch (error) {
    // a schema or a guard that breaks must not let the call through
    return refuse(attempt, pending, tool, seam, `the check failed: ${failureOf(error).message}`);
  }
}

function refuse(attempt: Attempt, pending: Pending, tool: AnyTool, seam: string, why: string): undefined {
  if (pending.closedBy !== undefined) {
    attempt.drop(pending);
    return undefined;
  }
  attempt.push({ type: 'guard-refused', id: pending.id, seam, why });
  attempt.record({
    type: 'abort',
    id: pending.id,
    fp: pending.fp,
    of: 'call',
    name: tool.name,
    failure: { code: seam === 'schema' ? 'INPUT_INVALID' : 'APPROVAL_REJECTED', message: why, retryable: false },
    spent: { toolCalls: 1 },
  });
  return undefined;
}

/** A tool's result is kept as the text a model reads, so that journal and prompt share its bytes. */
type KeptResult = { readonly text: string; readonly json?: true } | { readonly text: string; readonly value: unknown };

function keep(tool: AnyTool, value: unknown): KeptResult {
  if (tool.present !== undefined) return { text: tool.present(value), value };
  if (typeof value === 'string') return { text: value };
  return { text: strictJson(value ?? null), json: true };
}

function restore(result: unknown): unknown {
  const kept = result as KeptResult;
  if ('value' in kept) return kept.value;
  return 'json' in kept && kept.json === true ? (JSON.parse(kept.text) as unknown) : kept.text;
}
