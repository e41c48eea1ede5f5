import { ConfigError, FlyballError, failureOf } from '../../core/errors.js';
import { blocked, degraded, done, failed, type Outcome } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { PlanStep } from '../../plans/plan.js';
import { executePlan, stepLoop } from './execute-plan.js';
import { firstPlan } from './make-plan.js';
import {
  checkExecution,
  checkPlanner,
  type ExecutionParts,
  type PlannerParts,
  type PlanRequest,
  type PlanResult,
} from './parts.js';
import { type PlanProofs, proveOutput } from './prove-output.js';

/**
 * Creates an agent that writes a plan and then executes it, in two sessions. Tool calls of each step are verified
 * against the journal.
 */
export function toolAwarePlan(options: {
  readonly planner: PlannerParts;
  readonly execution: ExecutionParts;
  /** What proves the values of the plan's output. */
  readonly output?: PlanProofs;
}): Agent<string | PlanRequest, PlanResult> {
  const { planner, output } = options;
  const execution = executionFor(options);
  checkPlanner(planner);
  checkExecution(execution);
  const { toolset, session } = stepLoop(execution);
  const again = typeof execution.replanner === 'object' ? execution.replanner.tools : [];
  const unknown = [...planner.tools, ...again].filter(({ name }) => !toolset.has(name));
  if (unknown.length > 0)
    throw new ConfigError(
      `A planner may name ${unknown.map(({ name }) => name).join(', ')}, which the worker does not have. Give both the same tools.`,
    );
  return async (run, input) => {
    const request = typeof input === 'string' ? { goal: input } : input;
    const { goal, facts = [] } = request;
    try {
      const { plan, version } = await firstPlan(run.scope('plan'), { ...widthOf(execution), ...planner }, request);
      const result = await executePlan(run, execution, plan, { goal, facts, version });
      if (!result.completed || output === undefined) return outcomeOf(result);
      const calls = result.records.flatMap(({ actualToolCalls }) => actualToolCalls);
      return (await proveOutput(run.scope('prove'), session, output, result, calls)) ?? outcomeOf(result);
    } catch (error) {
      if (error instanceof FlyballError && (error.code === 'PLAN_INVALID' || error.code === 'REPLY_INVALID'))
        return failed(failureOf(error));
      throw error;
    }
  };
}

/** How many steps really run side by side. */
function widthOf({ width }: ExecutionParts): Pick<PlannerParts, 'width'> {
  return width === undefined ? {} : { width };
}

/** What a planner is told needs an approval is not done without one. */
function executionFor({ planner, execution }: { readonly planner: PlannerParts; readonly execution: ExecutionParts }) {
  if (execution.permits !== undefined || planner.permits === undefined) return execution;
  return { ...execution, permits: (step: PlanStep) => planner.permits?.(step) ?? true };
}

/** A plan whose every step was done is `done`; one that a reviewer stopped is `blocked`; a bound can be lifted. */
export function outcomeOf(result: PlanResult): Outcome<PlanResult> {
  const { completed, bound, failure, failedStep, why = '', unsynthesized } = result;
  if (completed) return unsynthesized === undefined ? done(result) : degraded(result, unsynthesized);
  if (bound !== undefined) return { stop: 'bounded', bound: bound.name, limit: bound.limit, partial: result };
  // a step that a person refused leaves work half done: that is a failure, and is rolled back
  if (failure?.code === 'APPROVAL_REJECTED' && failedStep === undefined) return blocked(why, { partial: result });
  return failed(failure ?? failureOf(new FlyballError('STEP_UNVERIFIED', why)), { partial: result });
}
