import { ConfigError, FlyballError, failureOf } from '../../core/errors.js';
import { failed } from '../../core/outcome.js';
import type { Agent, Entered, Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { isFilled, slotsOf } from '../../core/slot.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { askOnce, runPart } from '../../kit/seat.js';
import { shown } from '../../kit/shown.js';
import { runTest, type Test } from '../../kit/tested.js';
import { dispatch, type Trouble } from '../../loops/plan/dispatch.js';
import { Progress } from '../../loops/plan/progress.js';
import { variablesOf } from '../../loops/plan/step-prompts.js';
import type { Plan, PlanStep, StepRecord } from '../../plans/plan.js';
import type { Described } from '../use.js';
import { type Drafted, draftedPlan, MOST_DRAFTS } from './draft-steps.js';

/** Who takes part in `planAndSolve`. */
export interface PlanAndSolveParts<O> {
  /** Writes the whole plan, and a new one when a step fails. */
  readonly planner: Session;
  /** Carries out one step, which it gets as text with the results it needs. */
  readonly worker: Agent<string, unknown>;
  /** Makes the answer of what the steps brought. */
  readonly answerer: Session<O>;
  /** Approves of a plan or says what is wrong with it, before any step runs: a rule, a model or a person. */
  readonly test?: Test<string, Plan>;
}

/** Options of `planAndSolve`. */
export interface PlanAndSolveOptions {
  readonly maxReplans?: number;
  /** Longer plans are sent back. */
  readonly maxSteps?: number;
  /** Steps at the same time, where the plan says that they do not depend on each other. */
  readonly width?: number;
}

/**
 * Plans all steps, carries them out, plans again when one fails.
 *
 * Model calls: `plans + steps × worker + reviews × test + answers`. A step that is done is not done again. Ends `bounded`
 * when the last plan it may make fails or is rejected too. Not where every next step depends on what the last one
 * brought (`reAct`), and not where the steps are always the same.
 *
 * @pattern R3
 * @example
 * ```ts
 * const planned = planAndSolve({ planner, worker: reader, answerer, test: touchesOnly('src/') }, { maxReplans: 2 });
 * ```
 */
export function planAndSolve<O>(
  { planner, worker, answerer, test }: PlanAndSolveParts<O>,
  { maxReplans = 3, maxSteps = 15, width = 1 }: PlanAndSolveOptions = {},
): Described<Agent<string, O>> {
  checkGiven('planAndSolve (R3)', { planner, worker, answerer });
  checkCounts('planAndSolve (R3)', { maxReplans }, 0);
  checkCounts('planAndSolve (R3)', { maxSteps, width });
  if ((planner.tools?.length ?? 0) > 0)
    throw new ConfigError(`planAndSolve (R3) needs a planner without tools, and "${planner.name}" has some.`);
  const rounds = 1 + maxReplans;
  const upTo = (fact: string, most: number, part: string) => ({ times: [{ fact, least: 0, most }, { part }] }) as const;
  const about = {
    id: 'R3',
    name: 'planAndSolve',
    ownBest: true, // what a step brought is no answer
    params: { maxReplans, maxSteps, width },
    parts: { planner, worker, answerer, test },
    apart: [['planner', 'worker']],
    calls: {
      sum: [
        upTo('plans', rounds * MOST_DRAFTS, 'planner'),
        upTo('steps', rounds * maxSteps, 'worker'),
        upTo('reviews', test === undefined ? 0 : rounds, 'test'),
        upTo('answers', 1, 'answerer'),
      ],
    },
  } as const;
  return pattern(about, async (run, goal: string) => {
    const course = new Course(run, goal, worker, width);
    const asker = { planner, maxSteps };
    for (let replans = 0; ; replans++) {
      const drafted = await draftedPlan(run.scope(`plan-${replans + 1}`), asker, course);
      course.count({ plans: drafted.tries });
      if (!drafted.ok) return failed(failureOf(new FlyballError('PLAN_INVALID', drafted.problem)));
      course.takes(drafted);
      const rejected = test === undefined ? undefined : await rejection(run, test, course);
      if (rejected === undefined && (await course.carriedOut())) break;
      if (replans === maxReplans) return { stop: 'bounded', bound: 'maxReplans', limit: maxReplans };
    }
    course.count({ answers: 1 });
    return askOnce(run, answerer, answerText(goal, course.progress.records));
  });
}

/** No step of a version runs before it is approved. What the test says goes to the planner, never a plan. */
async function rejection(run: Entered, test: Test<string, Plan>, course: Course): Promise<string | undefined> {
  const { plan, version } = course.progress;
  const tested = await runTest(run, test, plan, course.goal);
  course.count({ reviews: 1 });
  run.note({ kind: 'plan-review', version, approve: tested.ok, ...(tested.ok ? {} : { notes: tested.because }) });
  if (tested.ok) return undefined;
  course.trouble = `version ${version} of the plan was rejected: ${tested.because}`;
  course.failedSteps = [];
  return course.trouble;
}

/** A plan under way. Rebuilt by the same steps on replay: the journal holds what went into it. */
class Course {
  readonly goal: string;
  /** Why the next plan is needed. */
  trouble = '';
  failedSteps: readonly string[] = [];
  private begun: Progress | undefined;
  private readonly counted: Record<string, number> = { plans: 0, steps: 0, reviews: 0, answers: 0 };
  private readonly run: Entered;
  private readonly worker: Agent<string, unknown>;
  private readonly width: number;

  constructor(run: Entered, goal: string, worker: Agent<string, unknown>, width: number) {
    this.run = run;
    this.goal = goal;
    this.worker = worker;
    this.width = width;
    this.count({});
  }

  get progress(): Progress {
    if (this.begun === undefined) throw new FlyballError('PLAN_INVALID', 'There is no plan yet.');
    return this.begun;
  }

  /** The plan that is to be replaced, where there is one. */
  get before(): Progress | undefined {
    return this.begun;
  }

  count(more: Readonly<Record<string, number>>): void {
    for (const [name, number] of Object.entries(more)) this.counted[name] = (this.counted[name] ?? 0) + number;
    this.run.learned({ ...this.counted });
  }

  takes({ plan, version, revisions }: Extract<Drafted, { readonly ok: true }>): void {
    if (this.begun === undefined) this.begun = new Progress(plan, version);
    else this.begun.revise(this.run, revisions, plan);
  }

  /** Runs what is not done yet; false where a step fails. */
  async carriedOut(): Promise<boolean> {
    const { progress } = this;
    const troubles = await dispatch(this.run, progress, {
      width: this.width,
      facts: [],
      carryOut: (lane, step) => this.carryOut(lane, step),
    });
    this.failedSteps = troubles.map(({ step }) => step);
    this.trouble = troubles.map(({ step, why }) => `step ${step} cannot be done: ${why}`).join('; ');
    return troubles.length === 0;
  }

  private async carryOut(lane: Run, step: PlanStep): Promise<Trouble | undefined> {
    const { progress, worker } = this;
    const own = lane.scope(progress.nameFor(step));
    const text = stepText(step, progress.records);
    this.count({ steps: 1 });
    const [slot] = await slotsOf(own, [(branch) => runPart(branch, worker, text)], { width: 1 });
    const isDone = slot !== undefined && isFilled(slot);
    const record: StepRecord = {
      id: step.id,
      status: isDone ? 'done' : 'failed',
      validationStatus: 'skipped',
      actualToolCalls: [],
      missingTools: [],
      result: isDone ? shown(slot.value) : '',
      attempts: 1,
      ...(isDone ? {} : { why: slot?.because ?? 'it gave no result' }),
    };
    progress.keep(own, record, step);
    progress.statuses.set(step.id, record.status);
    return isDone ? undefined : { step: step.id, why: record.why ?? record.status };
  }
}

/** Longest result that a later step or the answer reads whole. */
const MOST_CHARS = 20_000;

/** One step and what it needs of others: neither the plan nor what else was found. */
function stepText(step: PlanStep, records: ReadonlyMap<string, StepRecord>): string {
  const given = Object.entries(variablesOf(step, records, MOST_CHARS)).map(
    ([name, value]) => `<given name="${name}">\n${value}\n</given>`,
  );
  return [
    ...given,
    step.description,
    ...(step.expectedOutcome === '' ? [] : [`It is done when: ${step.expectedOutcome}`]),
  ].join('\n\n');
}

function answerText(goal: string, records: ReadonlyMap<string, StepRecord>): string {
  const results = [...records.values()]
    .filter(({ status }) => status === 'done')
    .map(({ id, result }) => `<result step="${id}">\n${result.slice(0, MOST_CHARS)}\n</result>`);
  return `${results.join('\n')}\n\nThese are the results of the steps that were taken for this goal. Give the answer.\n\nThe goal: ${goal}`;
}
