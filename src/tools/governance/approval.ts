import type { ToolVerdict } from '../../core/seams.js';

/** Adds reasons for which a person has to agree to those that others had. A refusal stays one. */
export function withApproval(verdict: ToolVerdict, asked: readonly string[]): ToolVerdict {
  if (!verdict.allow || asked.length === 0) return verdict;
  const reasons = verdict.approval === undefined ? asked : [...asked, verdict.approval];
  return { ...verdict, approval: reasons.join(' ') };
}
