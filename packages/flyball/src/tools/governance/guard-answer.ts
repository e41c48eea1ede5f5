import type { ApprovalRules } from '../../core/approval.js';
import type { GuardDecision } from '../../core/events.js';
import type { GuardContext } from '../../core/seams.js';
import type { ProposedCall } from './proposed-call.js';

/**
 * What one guard says about one proposed call. `refuse` is read by the model, `ask` by the person who has to agree,
 * `told` goes into the journal.
 */
export type GuardAnswer = { readonly verdict: 'pass'; readonly told: readonly GuardDecision[] } | Objection;

export interface Objection {
  readonly verdict: 'ask' | 'refuse';
  readonly why: string;
  readonly told: readonly GuardDecision[];
  /** Who has to agree, where it asks for more than one person. */
  readonly rules?: Partial<ApprovalRules>;
}

/** A link of the chain around a tool call. It decides, and does nothing else. */
export interface ToolGuard {
  readonly name: string;
  /** Every answer counts as a call: it is asked once for each, also where the arguments are judged again. */
  readonly counts?: true;
  check(call: ProposedCall, ctx: GuardContext): GuardAnswer | Promise<GuardAnswer>;
}

export const PASS: GuardAnswer = { verdict: 'pass', told: [] };

export function refuse(guard: string, why: string): Objection {
  return { verdict: 'refuse', why, told: [{ guard, verdict: 'denied', why }] };
}

/** Allowed once a person agrees. */
export function escalate(guard: string, why: string): Objection {
  return { verdict: 'ask', why, told: [{ guard, verdict: 'escalated', why }] };
}
