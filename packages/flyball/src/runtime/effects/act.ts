import type { ApprovalRules, Review } from '../../core/approval.js';
import { type Amounts, AXES, isAmount } from '../../core/budget.js';
import { canBeStored } from '../../core/codec.js';
import type { EffectKind } from '../../core/effect-kind.js';
import { CancelledError, EffectError, type Failure, failureOf } from '../../core/errors.js';
import type { EffectId, EndEvent, EventOf } from '../../core/events.js';
import type { ToldOfRun } from '../../core/started-runs.js';
import type { EffectClass, EffectContext, EffectRules, InvocationPolicy } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { hasStarted } from '../started.js';

/** A step or a tool call, made ready: what to run, and what repeating or undoing it means. */
export interface Act {
  readonly of: 'call' | 'step';
  readonly name: string;
  readonly class: EffectKind;
  readonly input: unknown;
  /** What the code called it with; `input` is what schema and guards made of that, and may not be storable. */
  readonly given?: unknown;
  readonly why: string | undefined;
  readonly rules: EffectRules<unknown, unknown>;
  /** A guard lets it pass only once a person agrees; this says why. */
  readonly approval?: string;
  /** Who has to agree, where somebody has to. */
  readonly approvalRules?: Partial<ApprovalRules>;
  /** Which tool a person agrees to. */
  readonly toolHash?: string;
  /** What a person who has to agree should know. */
  readonly review?: () => Review;
  /** Arguments that a check or the tool would have in place of these; undefined where there are none that fit. */
  readonly recommend?: () => Promise<unknown>;
  /**
   * The act with arguments that a person gave, through every check again; undefined when they were refused. `gate` is
   * the question that would be asked about it: where an earlier life asked it already, no guard is asked again.
   */
  readonly remake?: (value: unknown, gate: EffectId) => Promise<Act | undefined>;
  /** Guards have looked at it. */
  readonly guarded?: boolean;
  /** How patiently a tool is tried; steps are made once. */
  readonly invocation?: Invocation;
  readonly body: (how: EffectContext) => Promise<unknown> | unknown;
  /** What the response guard makes of a result that did not come from the body: verified, told or simulated. */
  readonly observe?: (value: unknown) => Promise<unknown>;
  /** The form in which a result is kept in the journal. */
  readonly keep: (value: unknown) => unknown;
  /** The result back from what is kept. */
  readonly restore: (kept: unknown) => unknown;
  /** What a result tells of another run. Asked when it is recorded: the books are those of that moment. */
  readonly toldOfRun?: ((result: unknown, reserved: Partial<Amounts>) => ToldOfRun | undefined) | undefined;
}

export interface Invocation {
  readonly policy: InvocationPolicy;
  readonly tool: object;
}

export const DEFAULT_TIMEOUT_MS = 60_000;

/** The longest an act can take, waits between its tries included: until then its owner may still be about to act. */
export function longestMs(act: Act, graceMs: number): number {
  const timeoutMs = (act.rules.timeoutMs ?? DEFAULT_TIMEOUT_MS) + graceMs;
  const tries = triesOf(act);
  return tries * timeoutMs + (tries - 1) * (act.invocation?.policy.maxDelayMs ?? 0);
}

/** Only what may be repeated is ever tried again by itself: anything else is in doubt after a failure. */
export function triesOf(act: Act): number {
  const repeatable = act.class === 'pure' || act.class === 'idempotent';
  return repeatable && act.invocation !== undefined ? 1 + act.invocation.policy.retries : 1;
}

/** A call of this tool has failed in this process: only then it has a circuit breaker. */
export function hasFailedBefore({ host }: Attempt, { invocation }: Act): boolean {
  return invocation !== undefined && host.breakers.has(invocation.tool);
}

export function rulesOf<A, T>(effect: EffectClass<A, T>): Pick<Act, 'class' | 'why' | 'rules'> {
  if (typeof effect === 'string') return { class: effect, why: undefined, rules: {} };
  const why = 'why' in effect ? effect.why : undefined;
  // the object itself, not a copy of its fields: verify and compensate may be methods of a class
  return { class: effect.class, why, rules: effect as EffectRules<unknown, unknown> };
}

/** Somebody has to agree before this act. */
export function needsGate(attempt: Attempt, act: Act): boolean {
  return needsApproval(act) || (act.class !== 'pure' && needsLiveForkGate(attempt));
}

/** Irreversible acts always do; others when a guard says so. */
export function needsApproval(act: Act): boolean {
  return act.class === 'irreversible' || act.approval !== undefined;
}

export function needsLiveForkGate({ lineage, journal }: Attempt): boolean {
  return lineage.fork?.live === true && journal.state.liveFork !== 'approved';
}

/** An earlier life asked it: the question is open, and is not taken back. */
export function isAskedAlready({ recorded }: Attempt, gate: EffectId): boolean {
  return recorded.starts.get(gate)?.some(({ inherited }) => inherited === undefined) === true;
}

/** ABORT: the effect did not take place. Effects without an INTENT are named here. */
export function recordFailure(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  error: unknown,
  reported?: Partial<Amounts>,
): void {
  attempt.delivery.record({
    type: 'abort',
    id: pending.id,
    ...identity(pending, act),
    failure: failureOf(error),
    ...(pending.ran ? { ran: true as const } : {}),
    ...spentOf(pending, {}, reported),
  });
}

/** ABORT of a call that was begun and is nobody's any more. What a fork's parent began is on the parent's bill. */
export function recordCutOff(attempt: Attempt, pending: Pending, act: Act): void {
  const isOwn = pending.ran || hasStarted(attempt.recorded, pending.id);
  attempt.delivery.record({
    type: 'abort',
    id: pending.id,
    ...identity(pending, act),
    failure: failureOf(pending.closedBy ?? new CancelledError('the run has ended')),
    ran: true,
    cutOff: true,
    ...(isOwn ? spentOf(pending, {}, undefined) : {}),
  });
}

/** COMPLETE. */
export function recordValue(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  value: unknown,
  how?: NonNullable<EventOf<'complete'>['how']>,
  said?: Pick<EventOf<'complete'>, 'declined'>,
): void {
  const { result, reported } = unwrapChanged(value);
  const end = {
    type: 'complete' as const,
    id: pending.id,
    ...identity(pending, act),
    ...spentOf(pending, pending.reserved, reported),
    ...(how === undefined ? undefined : { how }),
    ...said,
  };
  // it took place, whatever becomes of its result: a failure here must not make a rollback overlook it
  if (result instanceof RefusedResult)
    return attempt.delivery.record({ ...end, result: null, failure: failureOf(result.error) });
  const told = act.toldOfRun?.(result, pending.reserved ?? {});
  try {
    attempt.delivery.record({ ...end, ...told, result: act.keep(result) });
  } catch (error) {
    attempt.delivery.record({ ...end, result: null, failure: failureOf(error) });
  }
}

/** COMPLETE of an effect that may have taken place: ABORT would say that it did not, and a rollback would pass it by. */
export function recordUnknown(attempt: Attempt, pending: Pending, act: Act, error: unknown): void {
  const failure = failureOf(error);
  attempt.delivery.record({
    type: 'complete',
    id: pending.id,
    ...identity(pending, act),
    result: null,
    failure: { ...failure, message: `${failure.message} It may have taken place all the same.` },
    ...spentOf(pending, pending.reserved, undefined),
    how: 'unknown',
  });
}

/** COMPLETE with a result that is in the form in which it is kept already. */
export function recordKept(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  kept: Pick<EventOf<'complete'>, 'result' | 'declined'>,
  how: NonNullable<EventOf<'complete'>['how']>,
): void {
  attempt.delivery.record({
    type: 'complete',
    id: pending.id,
    ...identity(pending, act),
    ...kept,
    ...spentOf(pending, pending.reserved, undefined),
    how,
  });
}

/** What a body returns when the effect took place and something after it refused the result. */
export class RefusedResult {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

function identity(
  pending: Pending,
  act: Act,
): Pick<EventOf<'complete'>, 'fp' | 'of' | 'name' | 'class' | 'records' | 'input'> | undefined {
  if (pending.intended) return undefined;
  const { of, name, class: kind, rules } = act;
  const records = kind !== 'pure' && rules.records === true ? { records: true as const } : undefined;
  return {
    fp: pending.fp,
    of,
    name,
    ...(kind === 'pure' ? undefined : { class: kind }),
    ...records,
    ...calledWith(act),
  };
}

/** For ends without an INTENT. What a step is given is in the code; a tool's arguments come from a model or a person. */
export function calledWith({ of, input, given }: Pick<Act, 'of' | 'input' | 'given'>): { readonly input?: unknown } {
  if (of !== 'call') return {};
  return { input: canBeStored(input) ? input : (given ?? null) };
}

export function unwrapChanged(value: unknown): {
  readonly result: unknown;
  readonly reported: Partial<Amounts> | undefined;
} {
  if (typeof value === 'object' && value !== null && '$changed' in value && 'value' in value) {
    return { result: value.value, reported: value.$changed as Partial<Amounts> };
  }
  return { result: value, reported: undefined };
}

/** What a call costs: itself, and what it reports to have changed, or else what it said it might change. */
function spentOf(
  pending: Pending,
  declared: Partial<Amounts> | undefined,
  reported: Partial<Amounts> | undefined,
): { readonly spent: Partial<Amounts> } | undefined {
  if (pending.kind !== 'call' && reported === undefined) return undefined;
  const spent: Record<string, number> = pending.kind === 'call' ? { toolCalls: 1 } : {};
  for (const axis of AXES) {
    const said = reported?.[axis];
    // a report that is no amount counts as none
    const amount = said !== undefined && isAmount(said) ? said : (declared?.[axis] ?? 0);
    if (amount > 0) spent[axis] = amount;
  }
  return { spent };
}

/** Registers how to undo a finished effect, live and on replay alike. */
export function learnCompensation(attempt: Attempt, act: Act, end: EndEvent): void {
  const { rules } = act;
  const intent = attempt.journal.saga.intents.get(end.id);
  if (intent === undefined || end.type !== 'complete' || end.how === 'simulated') return;
  if (rules.compensate === undefined) return;
  const result = end.failure === undefined ? act.restore(end.result) : undefined;
  attempt.journal.saga.compensations.set(`${attempt.generation}:${end.id}`, async (how) => {
    await rules.compensate?.(intent.input, result, how);
  });
}

/** The failure an end carries, where it carries one. */
export function failureIn(end: EndEvent): Failure | undefined {
  return end.type === 'abort' || end.type === 'complete' ? end.failure : undefined;
}

export function effectError(failure: Failure): EffectError {
  return new EffectError(failure);
}
