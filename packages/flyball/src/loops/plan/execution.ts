import { FlyballError, failureOf } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { takeBranch } from '../../plans/branches.js';
import type { ActualCall, Branch, PlanStep, StepRecord } from '../../plans/plan.js';
import type { LoopParts } from '../tool-loop/loop-parts.js';
import { afterNo, needsApproval, refusalOf, type StepGate, withinApproval } from './approve-step.js';
import { registerCompensation } from './compensate.js';
import type { Trouble } from './dispatch.js';
import { isNo } from './heed-no.js';
import { type Observation, observe } from './observe-branch.js';
import type { PlanGiven } from './parts.js';
import type { Progress } from './progress.js';
import { runStep } from './run-step.js';
import { notRun } from './step-check.js';
import { variablesOf } from './step-prompts.js';

/** A plan under way, with all that its steps need. */
export interface Execution {
  readonly loop: LoopParts<string>;
  readonly observer: Session<Observation>;
  readonly maxReprompts: number;
  readonly gate: StepGate;
  readonly given: PlanGiven;
  readonly progress: Progress;
}

/** Takes one step to its end, and decides the branches that hang on it. */
export async function carryOut(lane: Run, execution: Execution, step: PlanStep): Promise<Trouble | undefined> {
  const { loop, maxReprompts, given, progress } = execution;
  const gate = progress.isAfterNo ? afterNo(execution.gate) : execution.gate;
  const run = lane.scope(progress.nameFor(step));
  const refusal = needsApproval(gate, step) ? await refusalOf(run, gate, step) : undefined;
  if (refusal !== undefined) {
    progress.heardNo = true;
    progress.end(run, notRun(step.id, 'blocked', refusal));
    const failure = failureOf(new FlyballError('APPROVAL_REJECTED', `Step ${step.id}: ${refusal}`));
    return { step: step.id, why: refusal, failure };
  }
  run.note({ kind: 'step-start', step: step.id, stepType: step.stepType, version: progress.version });
  const earlier = run.calls().length; // somebody may have used a scope of this name before
  await registerCompensation(run, step, { tools: loop.toolset, takenBack: progress.takenBack, earlier });
  const {
    record: reported,
    failure,
    bound,
  } = await runStep(
    withinApproval(run, gate, step),
    {
      loop,
      maxReprompts,
      branchesOnAnswer: branchesOnAnswer(progress.plan.branches, step),
      heardNo: () => progress.heardNo,
    },
    {
      goal: given.goal,
      step,
      variables: variablesOf(step, progress.records, loop.config.maxResultChars),
      context: given.contextFor?.(step) ?? '',
    },
  );
  if (reported.actualToolCalls.some(isNo)) progress.heardNo = true;
  const record = await observed(run, execution, step, reported);
  progress.keep(run, record, step);
  if (record.status === 'done') await decideBranches(run, execution, step.id);
  progress.statuses.set(step.id, record.status);
  if (record.status === 'done') return undefined;
  return {
    step: step.id,
    why: record.why ?? record.status,
    ...(failure === undefined ? {} : { failure }),
    ...(bound === undefined ? {} : { bound }),
  };
}

function branchesOnAnswer(branches: readonly Branch[] = [], { id }: PlanStep): boolean {
  return branches.some(({ at, decidedBy }) => at === id && decidedBy === 'answer');
}

/** A step that is done, with what was seen after it. */
async function observed(run: Run, { given }: Execution, step: PlanStep, record: StepRecord): Promise<StepRecord> {
  if (record.status !== 'done' || given.afterStep === undefined) return record;
  const seen = await given.afterStep(run.scope('after'), step);
  return seen === undefined ? record : { ...record, result: `${record.result}\n\n${seen}` };
}

/** Every branch after this step: the side that is not taken is skipped, with all that hangs on it. */
export async function decideBranches(run: Run, execution: Execution, at: string): Promise<void> {
  const { progress } = execution;
  for (const branch of progress.plan.branches ?? []) {
    if (branch.at !== at) continue;
    const holds = progress.decisionOn(branch) ?? (await decided(run, execution, branch));
    skipUntaken(run, progress, branch, holds);
  }
}

async function decided(run: Run, { observer, progress }: Execution, branch: Branch): Promise<boolean> {
  const record = progress.records.get(branch.at);
  const { holds, because } =
    branch.decidedBy === 'answer'
      ? answerOf(record?.actualToolCalls ?? [])
      : await observe(run.scope('observe'), observer, branch, record?.result ?? '');
  progress.decide(branch, holds);
  run.note({ kind: 'branch', at: branch.at, observation: branch.observation, holds, because });
  return holds;
}

/** Read off the journal. Without an answer it does not hold: silence is no yes. */
function answerOf(calls: readonly ActualCall[]): Observation {
  const no = calls.find(({ declined }) => declined === true);
  if (no !== undefined) return { holds: false, because: `a person said no when asked by ${no.tool}` };
  const yes = calls.find(({ ok, standIn }) => ok && standIn === 'person');
  if (yes === undefined) return { holds: false, because: 'nobody answered a question of this step' };
  return { holds: true, because: `a person answered ${yes.tool}, and not with a no` };
}

function skipUntaken(run: Run, progress: Progress, branch: Branch, holds: boolean): void {
  const skipped = progress.stepsThatAre('skipped').map(({ id }) => id);
  const why = `after ${branch.at}, "${branch.observation}" ${holds ? 'holds' : 'does not hold'}`;
  for (const id of takeBranch(progress.plan, branch, holds, skipped))
    if (progress.statuses.get(id) === 'pending') progress.end(run, notRun(id, 'skipped', why));
}
