import { type ApprovalRules, stricter } from '../../core/approval.js';
import type { ToolVerdict } from '../../core/seams.js';

/** Why a person has to agree, and who. */
export interface Asked {
  readonly asked: readonly string[];
  /** All guards together. */
  readonly rules?: Partial<ApprovalRules>;
}

/** Adds reasons for which a person has to agree to those that others had. A refusal stays one. */
export function withApproval(verdict: ToolVerdict, { asked, rules }: Asked): ToolVerdict {
  if (!verdict.allow || asked.length === 0) return verdict;
  const reasons = verdict.approval === undefined ? asked : [...asked, verdict.approval];
  const both = stricter(rules, verdict.approvalRules);
  return {
    ...verdict,
    approval: reasons.join(' '),
    ...(Object.keys(both).length === 0 ? {} : { approvalRules: both }),
  };
}
