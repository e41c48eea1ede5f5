import type { ApprovalRules } from '../../core/approval.js';
import type { Run } from '../../core/run.js';
import type { SeamMiddleware } from '../../core/seams.js';
import type { ToolRef } from '../../core/tool.js';
import { requestApproval } from '../../people/request-approval.js';
import type { PlanStep } from '../../plans/plan.js';
import type { Toolset } from '../../tools/toolset.js';
import { effectKindOf } from './effect-kind.js';

/** Which steps have to be approved, and by whom. */
export interface StepGate {
  readonly permits: ((step: PlanStep) => boolean) | undefined;
  readonly rules: Partial<ApprovalRules>;
  readonly tools: Toolset;
  /** Why a step has to be approved, for whoever is asked. */
  readonly why: string;
}

export const NOT_PERMITTED = 'it changes something that the plan may not change by itself';

/**
 * A plan that was made after a no may hold what the person refused under any name and by any tool, and nothing but a
 * person can tell: whatever it changes needs a yes of its own.
 */
export function afterNo(gate: StepGate): StepGate {
  const why = 'a person said no to something in this plan, and the plan was changed after that';
  return { ...gate, permits: () => false, why };
}

/** Only what changes something is asked about: because it says so, or because a tool does that it requires. */
export function needsApproval({ permits, tools }: StepGate, step: PlanStep): boolean {
  if (permits === undefined) return false;
  const required = step.requiredTools.flatMap((name) => tools.get(name) ?? []).map(effectKindOf);
  return [step.reversibility, ...required].some((effect) => effect !== 'pure') && !permits(step);
}

/**
 * Where steps are approved, a step's loop calls what changes nothing, and what was approved: the tools that the step
 * requires. Otherwise a planner that calls its step a thought would need no approval for anything.
 */
export function withinApproval(run: Run, { permits }: StepGate, { id, requiredTools }: PlanStep): Run {
  if (permits === undefined) return run;
  const isApproved = (tool: ToolRef) => effectKindOf(tool) === 'pure' || requiredTools.includes(tool.name);
  const why = (tool: ToolRef) =>
    `${tool.name} changes something, and step ${id} has no approval for it: it does not stand among its requiredTools`;
  const guard: SeamMiddleware<'tool.pre'> = (next) => async (value, context) =>
    isApproved(value.tool) ? next(value, context) : { allow: false, why: why(value.tool) };
  return run.guarded({ 'tool.pre': [guard] });
}

/** Waits for a verdict, durably. Undefined when the step may run, else why it may not. */
export async function refusalOf(run: Run, gate: StepGate, step: PlanStep): Promise<string | undefined> {
  const { compensation, description, expectedOutcome, reversibility, requiredTools } = step;
  const decided = await requestApproval(
    run,
    {
      action: `step ${step.id}`,
      input: { description, tools: requiredTools },
      effect: reversibility,
      why: gate.why,
      ...(expectedOutcome === '' ? {} : { expectedEffect: expectedOutcome }),
      undo:
        compensation === undefined
          ? 'nothing in the plan takes it back'
          : `by the tool ${compensation.tool} with ${JSON.stringify(compensation.args)}`,
    },
    gate.rules,
    `approve-step:${run.path}`,
  );
  run.note({ kind: 'step-approval', step: step.id, ...decided });
  switch (decided.verdict) {
    case 'approved':
      return undefined;
    case 'rejected':
      return `it was not approved: ${decided.why}`;
    case 'modified':
      return `${decided.by} wants it otherwise: ${JSON.stringify(decided.value)}`; // a step is changed by a new plan only
    case 'timed-out':
      return 'nobody approved it in time';
  }
}
