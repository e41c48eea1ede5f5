import type { Run } from '../../core/run.js';
import type { Plan } from '../../plans/plan.js';
import { type Draft, draftPlan } from './draft-plan.js';
import { checkPlanner, type PlannerParts, type PlanRequest } from './parts.js';
import { plannerSession, planPrompt } from './planner-prompts.js';

/**
 * Asks a planner for a plan that passes all checks, or fails with PLAN_INVALID and the issues. Every version and
 * every change is recorded in a note.
 */
export async function makePlan(run: Run, parts: PlannerParts, request: PlanRequest): Promise<Plan> {
  return (await firstPlan(run, parts, request)).plan;
}

/** As `makePlan`, with the version it is. */
export function firstPlan(run: Run, parts: PlannerParts, request: PlanRequest): Promise<Draft> {
  checkPlanner(parts);
  const { facts = [] } = request;
  return draftPlan(run, parts, plannerSession(parts), planPrompt(request), {
    facts,
    version: 1,
    because: 'first plan',
  });
}
