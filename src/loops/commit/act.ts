import { baselineOf, withReports } from '../../checks/baseline.js';
import type { TestReport } from '../../checks/contracts.js';
import { runsAt } from '../../checks/harness/triggers.js';
import { BoundReachedError, FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Evidence, ExecutionOutputs } from '../../core/work.js';
import type { PlanStep } from '../../plans/plan.js';
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
    afterStep: (scope, step) => unitTests(scope, work, step),
    // a planner of this loop has told its first version already
    ...(typeof parts.planner === 'function' ? {} : { version: 1 }),
  });
  work.plan = result.plan;
  work.isRepaired = false;
  work.outputs = await outputsOf(run, work, result);
  if (result.completed) return { event: 'acted' };
  if (result.bound !== undefined) throw boundIn(run, result.bound);
  if (result.failure?.retryable === true)
    throw new FlyballError(result.failure.code, result.failure.message, { retryable: true });
  return { event: 'error', why: result.why ?? 'the plan could not be carried out' };
}

/** The plan caught it; it is the loop's as well. */
function boundIn(run: Run, { name, limit }: NonNullable<PlanResult['bound']>): BoundReachedError {
  return new BoundReachedError({ bound: name, limit, spent: limit, node: run.path });
}

async function outputsOf(run: Run, { parts }: Work, { output, records }: PlanResult): Promise<ExecutionOutputs> {
  return {
    artefacts: await parts.workpiece.collect(run, output),
    reports: records.map(({ id, result }) => ({ subTask: id, text: result })),
  };
}

/** What there is before anything is touched: a test that fails or is gone later is not passed, whoever broke it. */
async function takeBaseline(run: Run, work: Work): Promise<void> {
  for (const harness of work.parts.verification.tests ?? []) {
    const report = await harness.runTests(run, baselineOf(work.baseline, harness));
    work.baseline = withReports(work.baseline, [report]);
  }
}

/** Unit tests follow every action that makes something: the next step sees what the last one broke. */
async function unitTests(run: Run, work: Work, step: PlanStep): Promise<string | undefined> {
  const { tests = [] } = work.parts.verification;
  const units = tests.filter(({ level }) => runsAt(level, 'action'));
  if (step.stepType !== 'tool' || units.length === 0) return undefined;
  const reports: TestReport[] = [];
  for (const harness of units) reports.push(await harness.runTests(run, baselineOf(work.baseline, harness)));
  return reports.map(told).join('\n');
}

const MOST_FAILURES = 5;

function told({ level, passed, failed, failures, problem }: TestReport): string {
  if (problem !== undefined) return `The ${level} tests could not be run: ${problem}`;
  const worst = failures.slice(0, MOST_FAILURES).map(({ test, message }) => `- ${test}: ${message.slice(0, 300)}`);
  return [`The ${level} tests after this step: ${passed} passed, ${failed} failed.`, ...worst].join('\n');
}

/** Evidence for a prompt: each piece under its id, with where it comes from. */
export function evidenceText(items: readonly Evidence[]): string {
  return items
    .map(({ id, source, place, text, trust }) => `[${id}] ${source}, ${place} (${trust}):\n${text}`)
    .join('\n\n');
}
