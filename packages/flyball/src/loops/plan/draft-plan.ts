import { append, type Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { planHash } from '../../plans/changes.js';
import { diffPlans, resolveThreats, targetsOf, validatePlan } from '../../plans/index.js';
import { shownIssues } from '../../plans/issues.js';
import type { Plan, PlanIssue, PlanRevision, PlanStep, PlanValidation } from '../../plans/plan.js';
import { askForPlan, notAccepted } from './ask-for-plan.js';
import { lanesFor } from './dispatch.js';
import { effectKindOf } from './effect-kind.js';
import { DEFAULT_REVISIONS, type PlannerParts } from './parts.js';
import { correctionText, refusalText } from './planner-prompts.js';

/** What the checks of a plan go by. */
export interface CheckRules {
  readonly facts: readonly string[];
  /** Estimated tokens of steps that are done: they are in the plan, but are not spent again. */
  readonly tokensDone?: number;
}

export interface DraftRules extends CheckRules {
  /** The plan that is revised, where there is one. */
  readonly before?: Plan;
  readonly version: number;
  readonly because: string;
  /** Steps that stay as they are in every draft: those that are done. */
  readonly done?: readonly string[];
  /** What the new plan breaks, besides the checks of feasibility. */
  readonly refuses?: (plan: Plan) => string | undefined;
}

export interface Draft {
  readonly plan: Plan;
  readonly version: number;
  readonly revisions: readonly PlanRevision[];
}

/**
 * Asks until a plan passes every check, a bounded number of times. A plan that fails a check is corrected in the same
 * conversation: the planner hears which steps to change and why, and the others are kept word for word, whatever it
 * makes of them.
 */
export async function draftPlan(
  run: Run,
  parts: PlannerParts,
  session: Session,
  first: Prompt,
  rules: DraftRules,
): Promise<Draft> {
  const { done = [] } = rules;
  const maxRevisions = parts.maxRevisions ?? DEFAULT_REVISIONS;
  let { before, version, because } = rules;
  let keep = done;
  let tip = first;
  const revisions: PlanRevision[] = [];
  for (let turn = 0; ; turn++) {
    const reply = await askForPlan(run, session, tip, parts.maxReasks);
    const written = keeping(before, keep, reply.plan);
    const problem = problemOf(parts, rules, written);
    if (problem !== undefined) {
      run.note({ kind: 'plan-refused', problem });
      if (turn >= maxRevisions) throw notAccepted(`it is not accepted after ${turn + 1} drafts. ${problem}`, []);
      tip = append(reply.prompt, { role: 'user', content: refusalText(problem), owner: 'plan', trust: 'system' });
      continue;
    }
    const { plan, validation } = checkedPlan(run, parts, written, rules);
    if (before !== undefined) revisions.push(changed(run, { before, plan, version: ++version, because }));
    noteVersion(run, { version, plan, validation });
    if (validation.valid) return { plan, version, revisions };
    const errors = seriousIn(validation);
    if (turn >= maxRevisions) throw notAccepted(`it fails its checks after ${turn + 1} drafts.`, errors);
    const targets = targetsOf(plan, errors);
    before = plan;
    keep = [...new Set([...targets.keep, ...done])];
    because = shownIssues(errors)
      .map(({ message }) => message)
      .join(' ');
    tip = append(reply.prompt, {
      role: 'user',
      content: correctionText(errors, targets),
      owner: 'plan',
      trust: 'system',
    });
  }
}

/** A version as the journal keeps it. */
export function noteVersion(
  run: Run,
  given: { readonly version: number; readonly plan: Plan; readonly validation: PlanValidation },
): void {
  const { version, plan, validation } = given;
  const issues = shownIssues(validation.issues);
  run.note({ kind: 'plan', version, plan, hash: planHash(plan), validation: { ...validation, issues } });
}

export function changed(
  run: Run,
  given: { readonly before: Plan; readonly plan: Plan; readonly version: number; readonly because: string },
): PlanRevision {
  const { before, plan, version, because } = given;
  const revision = { version, because, changes: diffPlans(before, plan, because) };
  run.note({ kind: 'plan-change', ...revision });
  return revision;
}

/** Threats resolved by orderings where that is possible, then every check of feasibility. */
export function checkedPlan(
  run: Run,
  parts: Pick<PlannerParts, 'tools' | 'width' | 'latencyMs' | 'permits'>,
  written: Plan,
  { facts, tokensDone = 0 }: CheckRules,
): { readonly plan: Plan; readonly validation: PlanValidation } {
  const resolved = resolveThreats(written);
  const plan = resolved.ok ? resolved.plan : written; // the checks name what could not be resolved
  const validation = validatePlan(plan, {
    tools: parts.tools.map((tool) => ({ name: tool.name, effect: effectKindOf(tool) })),
    facts,
    tokensLeft: run.budget.remaining('tokensIn') + run.budget.remaining('tokensOut') + tokensDone,
    ...(parts.latencyMs === undefined ? {} : { latencyMs: parts.latencyMs }),
    width: lanesFor(run, parts.width),
    permits: (step) => parts.permits?.(step) ?? true,
  });
  return { plan, validation };
}

/** Those that make a plan invalid: what only needs an approval, or is a warning, does not send it back. */
export function seriousIn({ issues }: PlanValidation): readonly PlanIssue[] {
  return issues.filter(({ severity }) => severity === 'critical' || severity === 'error');
}

function problemOf({ shape }: PlannerParts, { refuses }: DraftRules, plan: Plan): string | undefined {
  if (shape !== undefined && plan.shape !== shape) return `its shape is "${plan.shape}", and has to be "${shape}".`;
  return refuses?.(plan);
}

/** The steps to keep as they were: changed ones are put back, dropped ones put in again behind the one they followed. */
function keeping(before: Plan | undefined, keep: readonly string[], after: Plan): Plan {
  if (before === undefined || keep.length === 0) return after;
  const kept = new Map(before.steps.filter(({ id }) => keep.includes(id)).map((step) => [step.id, step]));
  const steps: PlanStep[] = after.steps.map((step) => kept.get(step.id) ?? step);
  for (const [index, step] of before.steps.entries()) {
    if (!kept.has(step.id) || steps.some(({ id }) => id === step.id)) continue;
    const previous = before.steps[index - 1]?.id;
    steps.splice(steps.findIndex(({ id }) => id === previous) + 1, 0, step);
  }
  return { ...after, steps };
}
