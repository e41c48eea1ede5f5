import type { EffectKind } from '../core/effect-kind.js';
import { type Ways, waysThrough } from './branches.js';
import { analyse } from './causal-links.js';
import { widest } from './concurrency.js';
import { linearizations } from './flexibility.js';
import { countBehind, criticalPath, findCycle, orderOf } from './graph.js';
import { fewIssues } from './issues.js';
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

/** Issues that are told one by one; what a hostile plan has beyond that is summed up. */
const MOST_ISSUES = 200;

/** A cycle ends the check at once, since nothing else can be said about such a plan. */
export function validatePlan(plan: Plan, context: FeasibilityContext): PlanValidation {
  const ways = waysThrough(plan);
  const estimatedTokens = tokensOf(plan, ways);
  const cycle = findCycle(plan);
  if (cycle !== undefined) {
    const flexibility = { linearizations: 0, atLeast: false };
    return { valid: false, issues: [cyclic(cycle)], criticalPathMs: 0, estimatedTokens, flexibility };
  }
  const issues = [
    ...structureIssues(plan, ways),
    ...toolIssues(plan, context),
    ...conditionIssues(plan, context),
    ...plan.steps.flatMap((step) => permissionIssues(step, context)),
    ...tokenIssues(plan, estimatedTokens, context),
    ...latencyIssues(plan, context),
    ...concurrencyIssues(plan, ways, context),
  ];
  return {
    valid: issues.every(({ severity }) => severity !== 'critical' && severity !== 'error'),
    issues: fewIssues(issues, MOST_ISSUES),
    criticalPathMs: criticalPath(plan).ms,
    estimatedTokens,
    flexibility: linearizations(plan),
  };
}

function cyclic(cycle: readonly string[]): PlanIssue {
  const message = `The steps ${[...cycle, cycle[0]].join(' → ')} wait for each other, so none of them can start.`;
  return { check: 'acyclicity', severity: 'critical', action: 'replan', message, steps: cycle };
}

const TOOLS_NAMED = 30;

/** The tools of a step, and the one that takes it back: a compensation that cannot be called compensates nothing. */
function toolIssues({ steps }: Plan, { tools }: FeasibilityContext): readonly PlanIssue[] {
  const known = new Set(tools.map(({ name }) => name));
  const more = known.size > TOOLS_NAMED ? ` and ${known.size - TOOLS_NAMED} more` : '';
  const there =
    known.size === 0
      ? 'No tools are available'
      : `Available tools: ${[...known].slice(0, TOOLS_NAMED).join(', ')}${more}`;
  return steps.flatMap(({ id, requiredTools, compensation }) => {
    const wanted = [...requiredTools, ...(compensation === undefined ? [] : [compensation.tool])];
    return [...new Set(wanted)]
      .filter((name) => !known.has(name))
      .map(
        (name): PlanIssue => ({
          check: 'tool-availability',
          severity: 'error',
          action: 'substitute-tool',
          message: `Step ${id} needs the tool ${name}, which is not there. ${there}.`,
          steps: [id],
        }),
      );
  });
}

function conditionIssues(plan: Plan, { facts }: FeasibilityContext): readonly PlanIssue[] {
  const analysis = analyse(plan, facts);
  const unmet = analysis.unmet.map(({ step, condition }): PlanIssue => {
    const message = `Step ${step} needs "${condition}", which is not true now and not made true by an earlier step.`;
    const action = 'reorder-or-add-prerequisite';
    return { check: 'preconditions', severity: 'error', action, message, steps: [step] };
  });
  const threats = threatsIn(analysis).map(
    (threat): PlanIssue => ({ check: 'threat', severity: 'error', action: 'order-threat', ...threat }),
  );
  return [...(analysis.isCut ? [tooMuch(plan)] : []), ...unmet, ...threats];
}

/** What was not looked at is not known to be sound. */
function tooMuch({ steps }: Plan): PlanIssue {
  const message =
    'There are too many conditions to follow over every way through the branches. Use fewer conditions, or fewer branches.';
  return { check: 'size', severity: 'error', action: 'replan', message, steps: steps.map(({ id }) => id) };
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
function tokensOf(plan: Plan, { ids, rows }: Ways): number {
  const indexOf = new Map(ids.map((id, at) => [id, at]));
  const tokens = plan.steps.map(({ id, estimatedTokens }) => ({ at: indexOf.get(id) ?? -1, estimatedTokens }));
  const sums = rows.map((way) =>
    tokens.reduce((sum, { at, estimatedTokens }) => (way[at] === 1 ? sum + estimatedTokens : sum), 0),
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
  return [{ check: 'latency-budget', severity: 'warning', action: 'parallelize-or-reduce', message, steps }];
}

function concurrencyIssues(plan: Plan, ways: Ways, { width }: FeasibilityContext): readonly PlanIssue[] {
  const steps = widest(plan, ways.rows);
  if (steps.length <= width) return [];
  const message = `${steps.length} steps could run at a time, and ${width} may: the others wait their turn.`;
  return [{ check: 'concurrency', severity: 'warning', action: 'serialize', message, steps }];
}
