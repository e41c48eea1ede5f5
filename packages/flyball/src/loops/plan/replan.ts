import type { Run } from '../../core/run.js';
import { stateAfter } from '../../plans/facts.js';
import type { Plan } from '../../plans/plan.js';
import { reviseProblem } from '../../plans/revise.js';
import { type Draft, draftPlan } from './draft-plan.js';
import type { PlanGiven, PlannerParts } from './parts.js';
import { replannerSession, replanPrompt } from './planner-prompts.js';
import type { Progress } from './progress.js';

/** Asks for the complete new plan. What is done stays as it is, and what failed may not come back unchanged. */
export function revisePlan(
  run: Run,
  replanner: PlannerParts,
  progress: Progress,
  { goal, facts = [], trouble, failed }: PlanGiven & { readonly trouble: string; readonly failed: readonly string[] },
): Promise<Draft> {
  const { plan, version, done } = progress;
  const doneSteps = progress.doneInOrder;
  const prompt = replanPrompt({
    goal,
    plan,
    records: [...progress.records.values()],
    trouble,
    facts: stateAfter(facts, doneSteps),
    instructions: run.instructions(),
  });
  return draftPlan(run, replanner, replannerSession(replanner), prompt, {
    before: plan,
    version,
    because: trouble,
    facts,
    done,
    tokensDone: doneSteps.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0),
    refuses: (after) => firstProblem(plan, after, done, failed),
  });
}

function firstProblem(before: Plan, after: Plan, done: readonly string[], failed: readonly string[]) {
  if (failed.length === 0) return reviseProblem(before, after, done);
  return failed.map((id) => reviseProblem(before, after, done, id)).find((problem) => problem !== undefined);
}
