import { sum } from '../../core/budget.js';
import type { Run } from '../../core/run.js';
import { requestApproval } from '../../people/request-approval.js';
import type { EnforcementResult } from '../../tools/autonomy/enforcement.js';
import type { LoopParts } from './loop-parts.js';
import type { LoopState } from './loop-state.js';
import type { Termination } from './termination.js';

/**
 * EF-05 and EF-06, before every iteration. The run's budget owns the counters: what is decided here over the same
 * numbers is decided again on replay. A profile that escalates waits for a person, once for each point.
 */
export async function mayIterate(
  run: Run,
  parts: LoopParts<unknown>,
  state: LoopState,
): Promise<Termination | undefined> {
  const answer = parts.autonomy.onIteration(sum(run.budget.spent(), run.budget.before()));
  if (answer.result === 'allowed') return undefined;
  const isNew = !state.told.has(`${answer.point} ${answer.result}`);
  state.told.add(`${answer.point} ${answer.result}`);
  if (isNew) tell(run, answer);
  if (answer.result === 'blocked') return terminationOf(parts, answer);
  if (answer.result === 'escalated' && isNew && !(await isApproved(run, answer))) return terminationOf(parts, answer);
  return undefined;
}

function tell(run: Run, { result, point, why }: EnforcementResult): void {
  run.note({ kind: 'decision', content: why, guard: 'autonomy-budget', verdict: result, rule: point });
}

function terminationOf({ autonomy }: LoopParts<unknown>, { point, why }: EnforcementResult): Termination {
  const { limits } = autonomy.profile;
  return point === 'EF-06'
    ? { reason: 'duration_exceeded', why, bound: { name: 'wallMs', limit: limits.minutes * 60_000 } }
    : { reason: 'budget_exceeded', why, bound: { name: 'iterations', limit: limits.iterations } };
}

/** Anybody may let it go on who may decide about what the run does: who that is, the inbox and the runtime know. */
async function isApproved(run: Run, { point, why }: EnforcementResult): Promise<boolean> {
  const request = { action: 'let the loop continue', why, input: { point } };
  const decided = await requestApproval(run, request, { maxModifications: 0 }, `go-on:${run.path}${point}`);
  return decided.verdict === 'approved';
}

/** The stop conditions of the profile, after every iteration. */
export function stopCondition(run: Run, parts: LoopParts<unknown>, state: LoopState): Termination | undefined {
  const { autonomy } = parts;
  if (autonomy.profile.stopWhen.length === 0) return undefined;
  const met = autonomy.shouldStop({
    spent: sum(run.budget.spent(), run.budget.before()),
    calledTools: Object.fromEntries(state.calls.tools),
    reply: state.rawText,
    errorCodes: Object.fromEntries(state.calls.errorCodes),
  });
  return met === undefined ? undefined : { reason: 'stop_condition', why: met.why };
}
