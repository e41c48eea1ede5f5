import { sum } from '../../core/budget.js';
import type { Run } from '../../core/run.js';
import type { StandardSchema } from '../../core/schema.js';
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

const VERDICT = {
  type: 'object',
  required: ['verdict'],
  properties: { verdict: { enum: ['approve', 'reject'] }, reason: { type: 'string' } },
} as const;

const verdictSchema: StandardSchema<unknown, { readonly verdict: 'approve' | 'reject' }> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      const verdict = (value as { readonly verdict?: unknown } | null)?.verdict;
      if (verdict === 'approve' || verdict === 'reject') return { value: { verdict } };
      return { issues: [{ message: 'answer with { "verdict": "approve" } or { "verdict": "reject" }' }] };
    },
  },
};

async function isApproved(run: Run, { point, why }: EnforcementResult): Promise<boolean> {
  const answer = await run.wait({
    name: `go-on:${run.path}${point}`,
    schema: verdictSchema,
    jsonSchema: VERDICT,
    request: { action: 'let the loop go on', why, point },
  });
  return answer !== 'timed-out' && answer.verdict === 'approve';
}

/** The stop conditions of the profile, after every iteration. */
export function stopCondition(run: Run, parts: LoopParts<unknown>, state: LoopState): Termination | undefined {
  const { autonomy } = parts;
  if (autonomy.profile.stopWhen.length === 0) return undefined;
  const met = autonomy.shouldStop({
    spent: sum(run.budget.spent(), run.budget.before()),
    calledTools: Object.fromEntries(state.calledTools),
    reply: state.rawText,
    errorCodes: Object.fromEntries(state.errorCodes),
  });
  return met === undefined ? undefined : { reason: 'stop_condition', why: met.why };
}
