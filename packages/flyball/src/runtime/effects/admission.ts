import type { ApprovalRules } from '../../core/approval.js';
import type { EffectId } from '../../core/events.js';
import type { Attempt } from '../attempt.js';

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
