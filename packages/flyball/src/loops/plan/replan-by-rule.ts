import type { Run } from '../../core/run.js';
import { type GoalTree, planFromGoals, switchAlternative } from '../../plans/index.js';
import type { Plan } from '../../plans/plan.js';
import { reviseProblem } from '../../plans/revise.js';
import { notAccepted } from './ask-for-plan.js';
import { type CheckRules, changed, checkedPlan, type Draft, noteVersion, seriousIn } from './draft-plan.js';
import type { PlannerParts, Replanner } from './parts.js';
import type { Progress } from './progress.js';

/** The next plan by a rule, through the same checks as one that a model wrote; undefined where the rule has none. */
export function reviseByRule(
  run: Run,
  replanner: Replanner,
  progress: Progress,
  given: { readonly trouble: string; readonly checks: PlannerParts; readonly rules: CheckRules },
): Draft | undefined {
  const { plan: before, done, statuses, records } = progress;
  const failed = [...records.values()].filter(({ status }) => status === 'failed' || status === 'blocked');
  const written = replanner({
    plan: before,
    statuses: Object.fromEntries(statuses),
    failed: failed.map(({ id }) => id),
  });
  if (written === undefined) return undefined;
  const problem = reviseProblem(before, written, done);
  if (problem !== undefined) throw notAccepted(`the rule that makes the next plan breaks one: ${problem}`, []);
  const { plan, validation } = checkedPlan(run, given.checks, written, given.rules);
  const revision = changed(run, { before, plan, version: progress.version + 1, because: given.trouble });
  noteVersion(run, { version: revision.version, plan, validation });
  if (!validation.valid) throw notAccepted('it fails its checks.', seriousIn(validation));
  return { plan, version: revision.version, revisions: [revision] };
}

/** A goal tree to carry out: its first plan, and the rule that takes the next alternative when a branch fails. */
export function goalPlan(tree: GoalTree): { readonly plan: Plan; readonly replanner: Replanner } {
  return {
    plan: planFromGoals(tree, {}),
    replanner: ({ statuses, failed }) => {
      const other = switchAlternative(tree, failed);
      return other === undefined ? undefined : planFromGoals(other, statuses);
    },
  };
}
