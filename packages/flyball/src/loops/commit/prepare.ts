import type { Run } from '../../core/run.js';
import type { Plan, PlanStep } from '../../plans/plan.js';
import { makePlan } from '../plan/make-plan.js';
import type { SubTask } from './contracts.js';
import { controller } from './control/index.js';
import { gatherEvidence, mergeEvidence } from './retrieve.js';
import type { PhaseReport, Work } from './work.js';

/** The deficit of a first output where nothing better is known. */
const EXPECTED_ERROR = 0.3;
const EVIDENCE_LIMIT = 5;

/** PLAN: says what the loop will take before anything is spent, then asks for the plan. */
export async function planPhase(run: Run, work: Work): Promise<PhaseReport> {
  const refusal = foresee(run, work, { error: work.parts.expectedError ?? EXPECTED_ERROR, isMeasured: false });
  if (refusal !== undefined) return { event: 'exhausted', why: refusal };
  work.plan = await draw(run, work);
  return { event: 'planned' };
}

/**
 * What the repairs will take from this error on. Where that is more than the budget, the gate is relaxed or the gain
 * lowered; where neither helps, it is refused here and not after the money is gone.
 */
export function foresee(
  run: Run,
  work: Work,
  { error, isMeasured }: { readonly error: number; readonly isMeasured: boolean },
): string | undefined {
  const { control, parts } = work;
  if (parts.limits.maxRepairs === 0) return undefined; // the first output counts, or nothing does
  const costUsd = Math.min(parts.repairBudget.costUsd, run.budget.remaining('costUsd'));
  // chance that was learned says nothing about an output that nobody has seen: it may need no repair at all
  const noise = controller(parts.controller).settings.noise;
  const predicting = isMeasured ? control : controller({ ...control.settings, noise });
  const prediction = predicting.predict(error, { iterations: parts.limits.maxRepairs, costUsd });
  const { verdict } = prediction;
  run.note({ kind: 'prediction', error, ...prediction });
  if (verdict.kind === 'refuse') return `before it starts: ${verdict.why}`;
  if (verdict.kind === 'go') return undefined;
  const { settings } = control;
  const changed = verdict.kind === 'relax-gate' ? { epsilon: verdict.epsilon } : { kp: verdict.kp };
  work.control = controller({ ...settings, ...changed });
  return undefined;
}

function draw(run: Run, { parts, task, acting: { avoid } }: Work): Promise<Plan> {
  const { planner } = parts;
  if (typeof planner === 'function') return planner(run, task, avoid);
  return makePlan(run, planner, {
    goal: task.goal,
    requirements: task.requirements,
    ...(task.facts === undefined ? {} : { facts: task.facts }),
    ...(task.context === undefined ? {} : { context: task.context }),
    ...(avoid.length === 0 ? {} : { avoid }),
  });
}

/** DECOMPOSE: the pieces that are worked on, with what each of them needs to know. A second time it is divided anew. */
export async function decomposePhase(run: Run, work: Work): Promise<PhaseReport> {
  if (work.position.decompositions > 0) {
    work.plan = await draw(run, work);
    work.acting.records = []; // of another plan: its ids mean other steps
  }
  work.acting.subTasks = work.drawn.steps.map(subTaskOf);
  return { event: 'decomposed' };
}

function subTaskOf({ id, description, expectedOutcome }: PlanStep): SubTask {
  const queries = [description, expectedOutcome].filter((query) => query.trim() !== '');
  return { id, description, queries: [...new Set(queries)] };
}

/** RETRIEVE: evidence for all of it, or for the gaps that a later phase found. */
export async function retrievePhase(run: Run, work: Work): Promise<PhaseReport> {
  const { retriever, evidenceLimit = EVIDENCE_LIMIT } = work.parts;
  const queries = work.acting.queries.length > 0 ? work.acting.queries : everythingIn(work);
  work.acting.queries = [];
  if (retriever === undefined) return { event: 'retrieved', why: 'there is nothing to look in' };
  for (const query of queries) work.acting.asked.add(query);
  const fresh = await gatherEvidence(run, retriever, queries, { limit: evidenceLimit });
  work.evidence = mergeEvidence(work.evidence, fresh, { run });
  return { event: 'retrieved' };
}

function everythingIn({ task, acting: { subTasks } }: Work): readonly string[] {
  return [task.goal, ...task.requirements, ...subTasks.flatMap(({ queries }) => queries)];
}
