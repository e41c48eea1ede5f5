import { FlyballError } from '../../core/errors.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { ToolRef } from '../../core/tool.js';
import type { PlanStep } from '../../plans/plan.js';
import type { Toolset } from '../../tools/toolset.js';
import { effectKindOf } from './effect-kind.js';
import type { CompensationRecord } from './parts.js';
import type { Progress } from './progress.js';

/**
 * Takes back what a failed plan did, newest first, by the compensations that its steps name. Only where the runtime
 * cannot: what tools undo themselves is rolled back when the run fails, and must not be taken back twice.
 */
export async function compensatePlan(
  run: Run,
  tools: Toolset,
  { executed, takenBack }: Pick<Progress, 'executed' | 'takenBack'>,
): Promise<readonly CompensationRecord[]> {
  const taken: CompensationRecord[] = [];
  for (const { step, record, path } of [...executed].reverse()) {
    if (step.compensation === undefined || !needsCompensation(step, record.actualToolCalls, tools)) continue;
    const compensated = await compensate(run, tools.get(step.compensation.tool), step.id, step.compensation);
    run.note({ kind: 'compensation', ...compensated });
    taken.push(compensated);
    if (compensated.ok) takenBack.add(path);
  }
  return taken;
}

/**
 * Leaves word of how a step is taken back, before it begins: agent code does not run when a run is cancelled, but its
 * rollback does. It calls nothing: a rollback makes no governed calls, and a tool that a planner named is not run outside
 * of governance. So the report of the rollback says what to call by hand, where anything took place and the plan has not
 * taken it back itself.
 */
export async function registerCompensation(
  run: Run,
  step: PlanStep,
  {
    tools,
    takenBack,
    earlier,
  }: { readonly tools: Toolset; readonly takenBack: ReadonlySet<string>; readonly earlier: number },
): Promise<void> {
  const { compensation } = step;
  if (compensation === undefined || step.reversibility === 'pure') return;
  await run.step(`compensation of ${step.id}`, { step: step.id, ...compensation }, () => null, {
    class: 'idempotent',
    records: true,
    simulate: () => null,
    compensate: async () => {
      const calls = run.calls().slice(earlier);
      if (takenBack.has(run.path) || !needsCompensation(step, calls, tools)) return;
      const how = `${compensation.tool} with ${JSON.stringify(compensation.args)}`;
      throw new FlyballError(
        'EFFECT_FAILED',
        `step ${step.id} took place. The plan undoes it with ${how}: call it by hand`,
      );
    },
  });
}

/** It changed the world through a tool whose effect stays when the run is rolled back, whatever became of the result. */
export function needsCompensation(
  step: PlanStep,
  calls: readonly Pick<MadeCall, 'tool' | 'tookPlace'>[],
  tools: Toolset,
): boolean {
  if (step.reversibility === 'pure') return false;
  return calls.some(({ tool: name, tookPlace }) => {
    const tool = tools.get(name);
    return tookPlace && tool !== undefined && effectKindOf(tool) !== 'pure' && !isUndoneByRuntime(tool);
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
