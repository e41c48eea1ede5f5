import type { Agent } from '../core/run.js';
import type { Described } from '../core/use.js';
import { checkCounts, checkGiven } from '../kit/options.js';
import { inApproval, type UntilApprovedOptions, type UntilApprovedParts } from './in-approval.js';

export type { Unapproved, UntilApprovedOptions, UntilApprovedParts } from './in-approval.js';

/**
 * Revises until a separate judge approves, else returns the best draft.
 *
 * Model calls: `drafts × agent + judged × test`, and with a reviser `agent + judged × test + revisions × reviser`. Ends `bounded` with the best-scoring draft as its partial value when the
 * last round was not approved, and `blocked` with reason `stalled` when a revision changed nothing. Not where code can
 * tell right from wrong: `reflexion` is cheaper and cannot be talked round.
 *
 * @pattern O5
 * @example
 * ```ts
 * const approved = untilApproved(writer, { test: houseStyle }, { maxRounds: 3 });
 * ```
 */
export function untilApproved<I, O>(
  agent: Agent<I, O>,
  parts: UntilApprovedParts<I, O>,
  { maxRounds = 3, ...options }: UntilApprovedOptions<O> = {},
): Described<Agent<I, O>> {
  checkGiven('untilApproved (O5)', { agent, test: parts.test });
  checkCounts('untilApproved (O5)', { maxRounds });
  return inApproval(agent, parts, { ...options, maxRounds });
}
