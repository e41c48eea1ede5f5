import type { ApprovalRules } from '../../core/approval.js';
import { type Amounts, isAmount } from '../../core/budget.js';
import { ConfigError, failureOf } from '../../core/errors.js';
import type { EffectId, EventOf } from '../../core/events.js';
import { through } from '../../core/join-seams.js';
import { check } from '../../core/schema.js';
import type { Seams } from '../../core/seams.js';
import type { Tool } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { calledWith, rulesOf } from './act.js';

export type AnyTool = Tool<unknown, unknown>;

/** What guards let pass. */
export interface Admitted {
  readonly args: unknown;
  readonly approval?: string;
  readonly approvalRules?: Partial<ApprovalRules>;
  /** Arguments that would be better, of which a person is told. */
  readonly recommended?: unknown;
}

/** Guards agreed in an earlier life: what they let pass is in INTENT, or in the gate that a person has to open. */
export function admittedBefore(attempt: Attempt, id: EffectId): Admitted | undefined {
  const own = (at: EffectId) =>
    attempt.recorded.starts.get(at)?.findLast(({ inherited }) => inherited === undefined)?.event;
  const intent = own(id);
  if (intent?.type === 'intent') return { ...admittedLast(attempt, id), args: intent.input };
  for (const sub of ['!gate', '!live', '!ask']) {
    const admitted = admittedAtGate(attempt, `${id}${sub}`);
    if (admitted !== undefined) return admitted;
  }
  return undefined;
}

/** What people were asked about before it was attempted: after modifications, the last of it. */
function admittedLast(attempt: Attempt, id: EffectId): Partial<Admitted> {
  let last: Admitted | undefined;
  for (let round = 1, gate = `${id}!gate`; attempt.recorded.starts.has(gate); gate = `${id}!gate.${++round}`)
    last = admittedAtGate(attempt, gate) ?? last;
  return last ?? {};
}

export function admittedAtGate(attempt: Attempt, gate: EffectId): Admitted | undefined {
  const start = attempt.recorded.starts.get(gate)?.findLast(({ inherited }) => inherited === undefined)?.event;
  if (start?.type !== 'wait-start' || start.admitted === undefined) return undefined;
  const { args, approval, rules, recommended } = start.admitted;
  return {
    args,
    ...(recommended === undefined ? {} : { recommended }),
    ...(approval === undefined ? {} : { approval }),
    ...(rules === undefined ? {} : { approvalRules: rules }),
  };
}

/**
 * Guards decide over counters, so they judge one call after the other: calls side by side must not all be told that
 * there is room for one. What was let pass counts until it has ended.
 */
export async function admitInTurn(
  attempt: Attempt,
  pending: Pending,
  tool: AnyTool,
  args: unknown,
  seams: Seams,
  how: { readonly isNew: boolean } = { isNew: false },
): Promise<Admitted | undefined> {
  const before = how.isNew ? undefined : admittedBefore(attempt, pending.id);
  if (before !== undefined) {
    if (seams['tool.pre'] !== undefined) attempt.guards.letPass(pending, tool.name);
    return before;
  }
  if (seams['tool.pre'] === undefined) return admit(attempt, pending, tool, args, seams);
  return attempt.guards.inTurn(async () => {
    const admitted = await admit(attempt, pending, tool, args, seams);
    if (admitted !== undefined) attempt.guards.letPass(pending, tool.name);
    return admitted;
  });
}

/** Arguments that may be used, or undefined when the refusal is already recorded as the call's observation. */
async function admit(
  attempt: Attempt,
  pending: Pending,
  tool: AnyTool,
  args: unknown,
  seams: Seams,
): Promise<Admitted | undefined> {
  let seam: 'schema' | 'tool.pre' = 'schema';
  try {
    const checked = tool.input === undefined ? ({ ok: true, value: args } as const) : await check(tool.input, args);
    if (!checked.ok) return refuse(attempt, pending, { tool, args }, seam, `invalid arguments: ${checked.problem}`);
    tool.reserve?.(checked.value); // one that cannot even be worked out for sound arguments would lift the bound
    if (seams['tool.pre'] === undefined) return { args: checked.value };
    seam = 'tool.pre';
    const guard = through(seams, seam, async (value) => ({ allow: true, args: value.args }) as const);
    const verdict = await guard({ tool, args: checked.value }, attempt.guards.context(pending.id));
    if (!verdict.allow) return refuse(attempt, pending, { tool, args }, seam, verdict.why);
    const recommended = await soundFor(tool, verdict.recommended);
    const { recommended: _unchecked, ...admitted } = verdict;
    return recommended === undefined ? admitted : { ...admitted, recommended };
  } catch (error) {
    // a schema or a guard that breaks must not let the call through
    return refuse(attempt, pending, { tool, args }, seam, `the check failed: ${failureOf(error).message}`);
  }
}

function refuse(
  attempt: Attempt,
  pending: Pending,
  { tool, args }: { readonly tool: AnyTool; readonly args: unknown },
  seam: string,
  why: string,
): undefined {
  if (pending.closedBy !== undefined) {
    attempt.effects.drop(pending);
    return undefined;
  }
  attempt.journal.push({ type: 'guard-refused', id: pending.id, seam, why });
  attempt.delivery.record({
    type: 'abort',
    id: pending.id,
    fp: pending.fp,
    of: 'call',
    name: tool.name,
    input: args,
    ...classIn(tool),
    failure: { code: seam === 'schema' ? 'INPUT_INVALID' : 'DENIED', message: why, retryable: false },
    spent: { toolCalls: 1 },
  });
  return undefined;
}

/** A declared amount that is no amount must not lift a bound. */
export function reservationOf(tool: AnyTool, args: unknown): Partial<Amounts> {
  const declared = declaredBy(tool, args);
  for (const [axis, amount] of Object.entries(declared)) {
    if (!isAmount(amount))
      throw new ConfigError(`Tool ${tool.name} reserves ${String(amount)} ${axis}: not a finite number of at least 0.`);
  }
  return declared;
}

/** Arguments are not checked yet: a tool that stumbles over them reserves nothing, and is refused by `admit`. */
function declaredBy(tool: AnyTool, args: unknown): Partial<Amounts> {
  try {
    return tool.reserve?.(args) ?? {};
  } catch {
    return {};
  }
}

/** What does not fit the tool is not recommended to anybody. */
export async function soundFor(tool: AnyTool, recommended: unknown): Promise<unknown> {
  if (recommended === undefined || tool.input === undefined) return recommended;
  const checked = await check(tool.input, recommended);
  return checked.ok ? recommended : undefined;
}

/** What was changed may cost more than what was proposed: it has to fit the budget like every call. */
export function reservedFor(attempt: Attempt, pending: Pending, tool: AnyTool, args: unknown): boolean {
  const held = pending.reserved ?? {};
  const wanted = { toolCalls: 1, ...reservationOf(tool, args) };
  const axes = Object.keys(wanted) as (keyof Amounts)[];
  const more = Object.fromEntries(axes.map((axis) => [axis, Math.max(0, (wanted[axis] ?? 0) - (held[axis] ?? 0))]));
  const refusal = pending.scope.ledger.reserve(more);
  if (refusal === undefined) {
    pending.reserved = {
      ...held,
      ...Object.fromEntries(axes.map((axis) => [axis, Math.max(wanted[axis] ?? 0, held[axis] ?? 0)])),
    };
    return true;
  }
  const { bound, limit } = refusal;
  const message = `${tool.name} was changed to something that exceeds the budget: ${bound} can be at most ${limit}.`;
  attempt.delivery.record({
    type: 'abort',
    id: pending.id,
    fp: pending.fp,
    of: 'call',
    name: tool.name,
    ...calledWith({ of: 'call', input: args }),
    ...classIn(tool),
    failure: { code: 'BOUND_REACHED', message, retryable: false },
    spent: { toolCalls: 1 },
  });
  return false;
}

/** What a call that was never made would have been; nothing where it would have changed nothing. */
function classIn({ effect }: AnyTool): Pick<EventOf<'abort'>, 'class'> {
  const kind = rulesOf(effect).class;
  return kind === 'pure' ? {} : { class: kind };
}
