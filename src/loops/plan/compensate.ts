import type { Run } from '../../core/run.js';
import type { ToolRef } from '../../core/tool.js';
import type { PlanStep, StepRecord } from '../../plans/plan.js';
import type { Toolset } from '../../tools/toolset.js';
import type { CompensationRecord } from './parts.js';
import { effectKindOf } from './planner-prompts.js';

/**
 * Takes back what a failed plan did, newest first, by the compensations that its steps name. Only where the runtime
 * cannot: what tools undo themselves is rolled back when the run fails, and must not be taken back twice.
 */
export async function compensatePlan(
  run: Run,
  tools: Toolset,
  executed: readonly { readonly step: PlanStep; readonly record: StepRecord }[],
): Promise<readonly CompensationRecord[]> {
  const taken: CompensationRecord[] = [];
  for (const { step, record } of [...executed].reverse()) {
    if (step.compensation === undefined || !needsCompensation(step, record, tools)) continue;
    const compensated = await compensate(run, tools.get(step.compensation.tool), step.id, step.compensation);
    run.note({ kind: 'compensation', ...compensated });
    taken.push(compensated);
  }
  return taken;
}

/** It changed the world through a tool whose effect stays when the run is rolled back. */
export function needsCompensation(step: PlanStep, { actualToolCalls }: StepRecord, tools: Toolset): boolean {
  if (step.reversibility === 'pure') return false;
  return actualToolCalls.some(({ tool: name, ok }) => {
    const tool = tools.get(name);
    return ok && tool !== undefined && effectKindOf(tool) !== 'pure' && !isUndoneByRuntime(tool);
  });
}

function isUndoneByRuntime({ effect }: ToolRef): boolean {
  return typeof effect !== 'string' && 'compensate' in effect && effect.compensate !== undefined;
}

async function compensate(
  run: Run,
  tool: ToolRef | undefined,
  step: string,
  { tool: name, args }: NonNullable<PlanStep['compensation']>,
): Promise<CompensationRecord> {
  if (tool === undefined) return { step, tool: name, ok: false, content: `there is no tool ${name}: undo it by hand` };
  const { ok, content } = await run.call(lasting(tool), args);
  return { step, tool: name, ok, content };
}

/** A compensation asserts the state before the step, and stays: a rollback of the run must not take it back again. */
function lasting(tool: ToolRef): ToolRef {
  const { effect } = tool;
  if (!isUndoneByRuntime(tool) || typeof effect === 'string') return tool;
  // on the rules, not a copy of them: verify may be a method of a class
  const rules = Object.create(effect, { class: { value: 'idempotent' }, compensate: { value: undefined } }) as object;
  return Object.create(tool, { effect: { value: rules, enumerable: true } }) as ToolRef;
}
