import { BoundReachedError, type Failure, FlyballError, failureOf } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import { planHash } from '../../plans/changes.js';
import type { Plan } from '../../plans/plan.js';
import { type LoopParts, partsOf } from '../tool-loop/loop-parts.js';
import { NOT_PERMITTED, type StepGate } from './approve-step.js';
import { notAccepted } from './ask-for-plan.js';
import { compensatePlan } from './compensate.js';
import { dispatch, type Trouble } from './dispatch.js';
import { checkedPlan, type Draft, noteVersion, seriousIn } from './draft-plan.js';
import { carryOut, decideBranches, type Execution } from './execution.js';
import { observerFor } from './observe-branch.js';
import {
  checkExecution,
  DEFAULT_REPLANS,
  DEFAULT_REPROMPTS,
  type ExecutionParts,
  type PlanGiven,
  type PlannerParts,
  type PlanResult,
} from './parts.js';
import { Progress } from './progress.js';
import { revisePlan } from './replan.js';
import { reviseByRule } from './replan-by-rule.js';
import { synthesisSession, synthesize } from './synthesize.js';

/**
 * Executes a plan. A step is done when the journal shows its required calls. After a failure, a new plan is
 * requested, a limited number of times; finished steps do not run again. An invalid plan is refused with PLAN_INVALID
 * before anything runs.
 */
export async function executePlan(run: Run, parts: ExecutionParts, plan: Plan, given: PlanGiven): Promise<PlanResult> {
  checkExecution(parts);
  const loop = stepLoop(parts);
  const progress = new Progress(accepted(run, parts, loop, plan, given), given.version ?? 1);
  const maxReprompts = parts.maxReprompts ?? DEFAULT_REPROMPTS;
  run.note({ kind: 'plan-start', version: progress.version, hash: planHash(progress.plan) });
  const gate = { permits: permitsOf(parts), rules: parts.stepApproval ?? {}, tools: loop.toolset, why: NOT_PERMITTED };
  const course = new Course(run, parts, { loop, observer: observerFor(loop), maxReprompts, gate, given, progress });
  const ending = await course.toItsEnd();
  const isRejected = ending.failure?.code === 'APPROVAL_REJECTED' && ending.failedStep === undefined;
  const isUndone = ending.failure !== undefined && !isRejected;
  const compensations = isUndone ? await compensatePlan(run.scope('undo'), loop.toolset, progress) : [];
  const { output: _output, synthesis: _synthesis, ...end } = ending; // they stand in the note of the synthesis
  run.note({ kind: 'plan-end', version: progress.version, ...end });
  return {
    plan: progress.plan,
    records: [...progress.records.values()],
    revisions: [...progress.revisions],
    output: progress.output,
    ...ending,
    ...(compensations.length === 0 ? {} : { compensations }),
  };
}

/** The check of the journal does for a step what the question for confirmation does for a free loop. */
export function stepLoop({ worker }: ExecutionParts): LoopParts<string> {
  return partsOf({ ...worker, config: { doubleConfirmation: false, ...worker.config } });
}

function permitsOf(parts: ExecutionParts): StepGate['permits'] {
  return parts.permits === undefined ? undefined : (step) => parts.permits?.(step) ?? true; // it may be a method
}

function accepted(run: Run, parts: ExecutionParts, loop: LoopParts<string>, written: Plan, given: PlanGiven): Plan {
  const { plan, validation } = checkedPlan(run, checksOf(parts, loop), written, { facts: given.facts ?? [] });
  if (given.version === undefined) noteVersion(run, { version: 1, plan, validation });
  if (!validation.valid) throw notAccepted('it fails its checks.', seriousIn(validation));
  return plan;
}

function checksOf(parts: ExecutionParts, loop: LoopParts<string>): PlannerParts {
  const { width, replanner } = parts;
  const permits = permitsOf(parts);
  return {
    session: loop.session, // whoever planned it, the checks ask nobody
    ...(typeof replanner === 'object' ? replanner : {}),
    ...(width === undefined ? {} : { width }),
    ...(permits === undefined ? {} : { permits }),
    tools: loop.toolset.tools,
  };
}

/** How a plan ends, besides what it brought. */
type Ending = Pick<PlanResult, 'completed' | 'failedStep' | 'why' | 'failure' | 'bound' | 'unsynthesized'> &
  Partial<Pick<PlanResult, 'output' | 'synthesis'>>;

/** Review, dispatch, re-plan, and again. Undefined from a part of it means: go on. */
class Course {
  private readonly run: Run;
  private readonly parts: ExecutionParts;
  private readonly execution: Execution;
  private replans = 0;

  constructor(run: Run, parts: ExecutionParts, execution: Execution) {
    this.run = run;
    this.parts = parts;
    this.execution = execution;
  }

  async toItsEnd(): Promise<Ending> {
    try {
      for (;;) {
        const ending = (await this.review()) ?? (await this.dispatch());
        if (ending !== undefined) return ending.completed ? { ...ending, ...(await this.synthesis()) } : ending;
      }
    } catch (error) {
      return endingOf(error);
    }
  }

  /** What all steps brought, in one answer. Where that cannot be had, what the steps said themselves is left. */
  private async synthesis(): Promise<Partial<Ending>> {
    const { synthesis: parts } = this.parts;
    if (parts === undefined) return {};
    const { loop, given, progress } = this.execution;
    const session = synthesisSession(parts, loop.session);
    const about = { goal: given.goal, records: [...progress.records.values()], mostChars: loop.config.maxResultChars };
    const made = await synthesize(this.run.scope('synthesis'), { session, tools: loop.toolset }, about);
    return made.ok ? { output: made.output, synthesis: made.synthesis } : { unsynthesized: made.why };
  }

  /** No step of a version runs before it is approved. What the reviewer notes goes to whoever revises, never a plan. */
  private async review(): Promise<Ending | undefined> {
    const { progress } = this.execution;
    for (;;) {
      const { plan, version } = progress;
      const verdict = (await this.parts.reviewPlan?.(this.run.scope(`review-${version}`), plan)) ?? { approve: true };
      if (this.parts.reviewPlan !== undefined) this.run.note({ kind: 'plan-review', version, ...verdict });
      if (verdict.approve) return undefined;
      const why = `version ${version} of the plan was rejected: ${verdict.notes}`;
      const failure = failureOf(new FlyballError('APPROVAL_REJECTED', why));
      const ending = await this.replan({ why, failure, failed: [] });
      if (ending !== undefined) return ending;
    }
  }

  private async dispatch(): Promise<Ending | undefined> {
    const { run, execution } = this;
    const { given, progress } = execution;
    const troubles = await dispatch(run, progress, {
      width: this.parts.width,
      facts: given.facts ?? [],
      carryOut: (lane, step) => carryOut(lane, execution, step),
    });
    const [first] = troubles;
    if (first === undefined) return { completed: true };
    const bounded = troubles.find(({ bound }) => bound !== undefined);
    if (bounded?.bound !== undefined)
      return { completed: false, failedStep: bounded.step, why: bounded.why, bound: bounded.bound };
    return this.replan({
      step: first.step,
      why: troubles.map(({ step, why }) => `step ${step} cannot be done: ${why}`).join('; '),
      failure: first.failure ?? failureOf(blockedError(first)),
      failed: troubles.map(({ step }) => step),
    });
  }

  /** Goes on with a new plan, where there is somebody to write one and the bound allows it. */
  private async replan(trouble: {
    readonly step?: string;
    readonly why: string;
    readonly failure: Failure;
    readonly failed: readonly string[];
  }): Promise<Ending | undefined> {
    const { replanner, maxReplans = DEFAULT_REPLANS } = this.parts;
    const { step, why, failure, failed } = trouble;
    const failedStep = step === undefined ? {} : { failedStep: step };
    if (replanner === undefined) return { completed: false, ...failedStep, why, failure };
    if (this.replans >= maxReplans) {
      const all = `${why}; the plan was revised ${maxReplans} times, which is all it may be`;
      return {
        completed: false,
        ...failedStep,
        why: all,
        failure: { ...failure, message: `${failure.message} (${all})` },
      };
    }
    this.replans++;
    const scope = this.run.scope(`replan-${this.replans}`);
    const isRevised = await this.revise(scope, { replanner, why, failed });
    return isRevised ? undefined : { completed: false, ...failedStep, why: `${why}; no alternative is left`, failure };
  }

  private async revise(
    run: Run,
    how: {
      readonly replanner: NonNullable<ExecutionParts['replanner']>;
      readonly why: string;
      readonly failed: readonly string[];
    },
  ): Promise<boolean> {
    const { execution } = this;
    const { progress } = execution;
    const draft = await this.draft(run, how);
    if (draft === undefined) return false;
    progress.revise(run, draft.revisions, draft.plan);
    // what was observed stays observed; a branch that is new after a step long done is decided now
    for (const id of progress.done) await decideBranches(run.scope('branches'), execution, id);
    return true;
  }

  private async draft(
    run: Run,
    {
      replanner,
      why: trouble,
      failed,
    }: {
      readonly replanner: NonNullable<ExecutionParts['replanner']>;
      readonly why: string;
      readonly failed: readonly string[];
    },
  ): Promise<Draft | undefined> {
    const { given, progress, loop } = this.execution;
    if (typeof replanner !== 'function') return revisePlan(run, replanner, progress, { ...given, trouble, failed });
    const checks = checksOf(this.parts, loop);
    return reviseByRule(run, replanner, progress, { trouble, checks, rules: { facts: given.facts ?? [] } });
  }
}

function blockedError({ step, why }: Trouble): FlyballError {
  return new FlyballError('PLAN_INVALID', `Step ${step} cannot start: ${why}.`, { detail: { step } });
}

/** A bound, and a planner or observer without a usable answer, are ends of the plan; all else is not ours to catch. */
function endingOf(error: unknown): Ending {
  if (error instanceof BoundReachedError) {
    const { bound: name, limit, message } = error;
    return { completed: false, why: message, bound: { name, limit } };
  }
  if (error instanceof FlyballError && (error.code === 'PLAN_INVALID' || error.code === 'REPLY_INVALID'))
    return { completed: false, why: error.message, failure: failureOf(error) };
  throw error;
}
