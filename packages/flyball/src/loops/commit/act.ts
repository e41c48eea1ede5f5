import { baselineOf, withReports } from '../../checks/baseline.js';
import type { TestReport } from '../../checks/contracts.js';
import { runsAt } from '../../checks/harness/triggers.js';
import { BoundReachedError, FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Evidence, ExecutionOutputs } from '../../core/work.js';
import { stateAfter } from '../../plans/facts.js';
import type { Plan, PlanStep, StepRecord } from '../../plans/plan.js';
import { executePlan } from '../plan/execute-plan.js';
import type { PlanResult } from '../plan/parts.js';
import type { PhaseReport, Work } from './work.js';

/**
 * ACT: carries the plan out, every tool that it requires called for real, and takes what was made. When evidence sends
 * it back here, what was done to the world is not done a second time: only what was thought is thought anew.
 */
export async function actPhase(run: Run, work: Work): Promise<PhaseReport> {
  const { parts, task, evidence } = work;
  if (work.outputs === undefined) await takeBaseline(run.scope('baseline'), work);
  const left = stepsLeft(work.drawn, work.acting.records, task.facts ?? []);
  if (left === undefined)
    return asItWas(work, work.outputs ?? (await outputsOf(run, work, work.acting.answer, work.acting.records)));
  const result = await executePlan(run, parts.execution, left.plan, {
    goal: task.goal,
    facts: left.facts,
    contextFor: () => evidenceText(evidence.items),
    afterStep: (scope, step) => unitTests(scope, work, step),
    // a planner of this loop has told its first version already
    ...(typeof parts.planner === 'function' ? {} : { version: 1 }),
  });
  if (result.bound !== undefined) throw boundIn(run, result.bound);
  work.plan = planAfter(work.drawn, left, result);
  if (result.failure?.retryable === true) {
    work.acting.records = [...left.kept, ...notTakenBack(result)];
    throw new FlyballError(result.failure.code, result.failure.message, { retryable: true });
  }
  const records = [...left.kept, ...result.records];
  const answer = result.output === '' ? work.acting.answer : result.output;
  const outputs = await outputsOf(run, work, answer, records);
  if (!result.completed) {
    work.outputs = outputs;
    return { event: 'error', why: result.why ?? 'the plan could not be carried out' };
  }
  work.acting.records = records;
  work.acting.answer = answer;
  return taken(work, outputs);
}

/** Of a text that is gone only what was executed and what a person wanted still say something. */
const OUTLASTING: readonly string[] = ['adversary', 'person'];

function taken(work: Work, outputs: ExecutionOutputs): PhaseReport {
  work.repairing.repairsBefore = work.repairing.repairs.length;
  work.repairing.carried = work.repairing.carried.filter(({ foundBy }) => OUTLASTING.includes(foundBy));
  return asItWas(work, outputs);
}

/** A new ACT begins a new course of the controller; what repairs may cost in all goes on. */
function asItWas(work: Work, outputs: ExecutionOutputs): PhaseReport {
  const { k, costUsd } = work.controlState;
  work.outputs = outputs;
  work.repairing.isRepaired = false;
  work.controlState = { ...work.control.begin(), k, costUsd };
  return { event: 'acted' };
}

/** A plan of the steps that were left may have been revised on the way; those that were over stay in it. */
function planAfter(drawn: Plan, left: StepsLeft, { plan, revisions }: PlanResult): Plan {
  if (left.isWhole) return plan;
  if (revisions.length === 0) return drawn;
  const over = new Set(left.kept.map(({ id }) => id));
  return { ...plan, steps: [...drawn.steps.filter(({ id }) => over.has(id)), ...plan.steps] };
}

/** A plan that failed takes back what it can; the rest still stands when it is tried again. */
function notTakenBack({ records, compensations = [] }: PlanResult): readonly StepRecord[] {
  const back = new Set(compensations.flatMap(({ step, ok }) => (ok ? [step] : [])));
  return records.filter(({ id }) => !back.has(id));
}

interface StepsLeft {
  readonly plan: Plan;
  readonly facts: readonly string[];
  readonly kept: readonly StepRecord[];
  readonly isWhole: boolean;
}

/** The steps that may be carried out (again): all but those that called tools with success. Undefined where none is left. */
function stepsLeft(plan: Plan, records: readonly StepRecord[], facts: readonly string[]): StepsLeft | undefined {
  const isDone = ({ status, actualToolCalls }: StepRecord): boolean =>
    status === 'done' && actualToolCalls.some(({ tookPlace }) => tookPlace);
  const kept = records.filter((record) => isDone(record) && plan.steps.some(({ id }) => id === record.id));
  if (kept.length === 0) return { plan, facts, kept, isWhole: true };
  const results = new Map(kept.map(({ id, result }) => [id, result]));
  const steps = plan.steps.filter(({ id }) => !results.has(id)).map((step) => without(step, results));
  if (steps.length === 0) return undefined;
  const made = plan.steps.filter(({ id }) => results.has(id));
  const { links: _links, orderings: _orderings, ...rest } = plan; // they may name steps that are over
  const branches = plan.branches?.filter(({ at }) => !results.has(at));
  return {
    plan: { ...rest, steps, ...(branches === undefined ? {} : { branches }) },
    facts: stateAfter(facts, made),
    kept,
    isWhole: false,
  };
}

/** What it waited for is over, and what it was given by it is given as it is. */
function without(step: PlanStep, results: ReadonlyMap<string, string>): PlanStep {
  const bindings = Object.entries(step.bindings).map(([name, binding]) => {
    const value = 'from' in binding ? results.get(binding.from) : undefined;
    return [name, value === undefined ? binding : { value }] as const;
  });
  return {
    ...step,
    dependsOn: step.dependsOn.filter((id) => !results.has(id)),
    bindings: Object.fromEntries(bindings),
  };
}

/** The plan caught it; it is the loop's as well. */
function boundIn(run: Run, { name, limit }: NonNullable<PlanResult['bound']>): BoundReachedError {
  return new BoundReachedError({ bound: name, limit, spent: limit, node: run.path });
}

async function outputsOf(
  run: Run,
  { parts }: Work,
  answer: string,
  records: readonly StepRecord[],
): Promise<ExecutionOutputs> {
  return {
    artefacts: await parts.workpiece.collect(run, answer),
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
