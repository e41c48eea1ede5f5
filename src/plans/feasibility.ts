import type { EffectKind } from '../core/tool.js';
import { worlds } from './branches.js';
import { analyse } from './causal-links.js';
import { widest } from './concurrency.js';
import { linearizations } from './flexibility.js';
import { countBehind, criticalPath, findCycle, orderOf } from './graph.js';
import type { Plan, PlanIssue, PlanStep, PlanValidation } from './plan.js';
import { threatsIn } from './resolve-threats.js';
import { structureIssues } from './structure-checks.js';

/** What a plan is held against: data and one question, so that the answer is the same whenever it is asked again. */
export interface FeasibilityContext {
  readonly tools: readonly { readonly name: string; readonly effect: EffectKind }[];
  /** Conditions that hold now. */
  readonly facts: readonly string[];
  readonly tokensLeft: number;
  /** Without it there is no latency budget. */
  readonly latencyMs?: number;
  /** How many steps may run at a time. */
  readonly width: number;
  /** Whether a step that changes something may run. Asked for those steps only. */
  permits(step: PlanStep): boolean;
}

/** A cycle ends the check at once, since nothing else can be said about such a plan. */
export function validatePlan(plan: Plan, context: FeasibilityContext): PlanValidation {
  const estimatedTokens = tokensOf(plan);
  const cycle = findCycle(plan);
  if (cycle !== undefined) {
    const flexibility = { linearizations: 0, atLeast: false };
    return { valid: false, issues: [cyclic(cycle)], criticalPathMs: 0, estimatedTokens, flexibility };
  }
  const issues = [
    ...structureIssues(plan),
    ...plan.steps.flatMap((step) => toolIssues(step, context)),
    ...conditionIssues(plan, context),
    ...plan.steps.flatMap((step) => permissionIssues(step, context)),
    ...tokenIssues(plan, estimatedTokens, context),
    ...latencyIssues(plan, context),
    ...concurrencyIssues(plan, context),
  ];
  return {
    valid: issues.every(({ severity }) => severity !== 'critical' && severity !== 'error'),
    issues,
    criticalPathMs: criticalPath(plan).ms,
    estimatedTokens,
    flexibility: linearizations(plan),
  };
}

function cyclic(cycle: readonly string[]): PlanIssue {
  const message = `The steps ${[...cycle, cycle[0]].join(' → ')} wait for each other, so none of them can start.`;
  return { check: 'acyclicity', severity: 'critical', action: 'replan', message, steps: cycle };
}

/** The tools of a step, and the one that takes it back: a compensation that cannot be called compensates nothing. */
function toolIssues(step: PlanStep, { tools }: FeasibilityContext): readonly PlanIssue[] {
  const known = new Set(tools.map(({ name }) => name));
  const there = known.size === 0 ? 'There are no tools' : `There are: ${[...known].join(', ')}`;
  const wanted = [...step.requiredTools, ...(step.compensation === undefined ? [] : [step.compensation.tool])];
  return [...new Set(wanted)]
    .filter((name) => !known.has(name))
    .map((name) => ({
      check: 'tool-availability',
      severity: 'error',
      action: 'substitute-tool',
      message: `Step ${step.id} needs the tool ${name}, which is not there. ${there}.`,
      steps: [step.id],
    }));
}

function conditionIssues(plan: Plan, { facts }: FeasibilityContext): readonly PlanIssue[] {
  const analysis = analyse(plan, facts);
  const unmet = analysis.unmet.map(({ step, condition }): PlanIssue => {
    const message = `Step ${step} needs "${condition}", which neither holds now nor is made true before it.`;
    const action = 'reorder-or-add-prerequisite';
    return { check: 'preconditions', severity: 'error', action, message, steps: [step] };
  });
  const threats = threatsIn(analysis).map(
    (threat): PlanIssue => ({ check: 'threat', severity: 'error', action: 'order-threat', ...threat }),
  );
  return [...unmet, ...threats];
}

/** A step changes something when it says so, or when a tool does that it requires: its own word is not enough. */
function permissionIssues(step: PlanStep, context: FeasibilityContext): readonly PlanIssue[] {
  const effects = context.tools.filter(({ name }) => step.requiredTools.includes(name)).map(({ effect }) => effect);
  const mutates = [step.reversibility, ...effects].some((effect) => effect !== 'pure');
  if (!mutates || context.permits(step)) return [];
  const message = `Step ${step.id} changes something and is not permitted: ask for approval, or put it off.`;
  const action = 'request-approval-or-defer';
  return [{ check: 'permission', severity: 'blocked', action, message, steps: [step.id] }];
}

/** What the dearest way through the branches takes; sides that exclude each other are never both paid for. */
function tokensOf(plan: Plan): number {
  const sums = worlds(plan).map((world) =>
    plan.steps.reduce((sum, { id, estimatedTokens }) => (world.has(id) ? sum + estimatedTokens : sum), 0),
  );
  return Math.max(0, ...sums);
}

function tokenIssues(plan: Plan, estimated: number, { tokensLeft }: FeasibilityContext): readonly PlanIssue[] {
  if (estimated <= tokensLeft) return [];
  const steps = leastMissed(plan, estimated - tokensLeft);
  const message = `The plan is estimated at ${estimated} tokens, and ${tokensLeft} are left. Least missed: ${steps.join(', ')}.`;
  return [{ check: 'token-budget', severity: 'warning', action: 'prune-low-priority', message, steps }];
}

/** The steps of the lowest priority, those first that fewest wait for, until their estimates cover the excess. */
function leastMissed(plan: Plan, excess: number): readonly string[] {
  const order = orderOf(plan);
  const cheapestLoss = [...plan.steps]
    .reverse()
    .map((step) => ({ step, behind: countBehind(order, step.id) }))
    .sort((a, b) => a.step.priority - b.step.priority || a.behind - b.behind);
  const chosen: string[] = [];
  let covered = 0;
  for (const { step } of cheapestLoss) {
    if (covered >= excess) break;
    chosen.push(step.id);
    covered += step.estimatedTokens;
  }
  return chosen;
}

function latencyIssues(plan: Plan, { latencyMs }: FeasibilityContext): readonly PlanIssue[] {
  const { steps, ms } = criticalPath(plan);
  if (latencyMs === undefined || ms <= latencyMs) return [];
  const message = `The steps ${steps.join(' → ')} take ${ms} ms one after the other, and ${latencyMs} ms are allowed.`;
  return [{ check: 'latency-budget', severity: 'warning', action: 'parallelise-or-reduce', message, steps }];
}

function concurrencyIssues(plan: Plan, { width }: FeasibilityContext): readonly PlanIssue[] {
  const steps = widest(plan);
  if (steps.length <= width) return [];
  const message = `${steps.length} steps could run at a time, and ${width} may: the others wait their turn.`;
  return [{ check: 'concurrency', severity: 'warning', action: 'serialise', message, steps }];
}
