import { FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Evidence, ExecutionOutputs } from '../../core/work.js';
import { executePlan } from '../plan/execute-plan.js';
import type { PlanResult } from '../plan/parts.js';
import type { PhaseReport, Work } from './work.js';

/** ACT: carries the plan out, every tool that it requires called for real, and takes what was made. */
export async function actPhase(run: Run, work: Work): Promise<PhaseReport> {
  const { parts, task, evidence } = work;
  if (work.outputs === undefined) await takeBaseline(run.scope('baseline'), work);
  const result = await executePlan(run, parts.execution, work.drawn, {
    goal: task.goal,
    ...(task.facts === undefined ? {} : { facts: task.facts }),
    contextFor: () => evidenceText(evidence.items),
    // a planner of this loop has told its first version already
    ...(typeof parts.planner === 'function' ? {} : { version: 1 }),
  });
  work.plan = result.plan;
  work.outputs = await outputsOf(run, work, result);
  if (result.completed) return { event: 'acted' };
  if (result.bound !== undefined) return { event: 'exhausted', why: `${result.bound.name} is used up` };
  if (result.failure?.retryable === true)
    throw new FlyballError(result.failure.code, result.failure.message, { retryable: true });
  return { event: 'error', why: result.why ?? 'the plan could not be carried out' };
}

async function outputsOf(run: Run, { parts }: Work, { output, records }: PlanResult): Promise<ExecutionOutputs> {
  return {
    artefacts: await parts.workpiece.collect(run, output),
    reports: records.map(({ id, result }) => ({ subTask: id, text: result })),
  };
}

/** What passes before anything is touched: a test that fails later and passed here is a regression, whoever broke it. */
async function takeBaseline(run: Run, work: Work): Promise<void> {
  for (const harness of work.parts.verification.tests ?? []) {
    const { passing } = await harness.runTests(run, []);
    work.baseline[harness.level] = [...new Set([...(work.baseline[harness.level] ?? []), ...passing])];
  }
}

/** Evidence for a prompt: each piece under its id, with where it comes from. */
export function evidenceText(items: readonly Evidence[]): string {
  return items
    .map(({ id, source, place, text, trust }) => `[${id}] ${source}, ${place} (${trust}):\n${text}`)
    .join('\n\n');
}
