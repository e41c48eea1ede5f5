import { sha256 } from '../../core/canonical.js';
import { BoundReachedError, ConfigError, FlyballError, failureOf } from '../../core/errors.js';
import { blocked, degraded, done, failed, type Outcome } from '../../core/outcome.js';
import { backoffMs } from '../../core/retry.js';
import type { Agent, Run } from '../../core/run.js';
import type { TaskSpec } from '../../core/work.js';
import type { Test } from '../../kit/tested.js';
import { type Unapproved, untilApproved } from '../../revision/until-approved.js';
import { actPhase } from './act.js';
import { commitPhase } from './commit.js';
import { type CommitLoopOptions, commitParts } from './commit-parts.js';
import type { CommitResult, FailureReport } from './contracts.js';
import { critiquePhase } from './critique.js';
import { assertInvariants } from './invariants.js';
import { verifyPhase } from './judge-exit.js';
import { evenIfItFails, learn, readHistory } from './ledger.js';
import { repairPhase } from './mend.js';
import { advance, type LoopLimits, type Phase } from './phases.js';
import { decomposePhase, planPhase, retrievePhase } from './prepare.js';
import { type PhaseReport, Work } from './work.js';

/**
 * Creates an agent that plans, acts, verifies, repairs, and commits only what passed. COMMIT ends as `done`, or
 * `degraded` if something is missing; FAIL ends as `failed` or `bounded`. A pause of the run halts the loop without a
 * rollback, and it continues from there.
 */
export function commitLoop(options: CommitLoopOptions): Agent<TaskSpec, CommitResult> {
  const parts = commitParts(options);
  const leave = approved(parts.limits);
  return async (run, task) => {
    checkTask(task);
    const history = await readHistory(run, parts.store, parts.name, task);
    if (history.committed?.status === 'committed') {
      run.note({ kind: 'resubmitted', task: task.id, provenance: history.committed.provenance.hash });
      return done({ ...history.committed, resubmitted: true });
    }
    // what patterns inside tell as their best is no result of the loop: nothing of it has passed the gates
    const mark = { pattern: 'commitLoop', params: { name: parts.name }, ownBest: true } as const;
    return run.enter(mark, (inside) => toItsEnd(inside, new Work(inside, parts, task, history), leave));
  };
}

const WORKING: Readonly<
  Record<Exclude<Phase, 'COMMIT' | 'FAIL' | 'HALT'>, (run: Run, work: Work) => Promise<PhaseReport>>
> = {
  PLAN: planPhase,
  DECOMPOSE: decomposePhase,
  RETRIEVE: retrievePhase,
  ACT: actPhase,
  VERIFY: verifyPhase,
  CRITIQUE: critiquePhase,
  REPAIR: repairPhase,
};

interface Ended {
  readonly result?: CommitResult;
  readonly error?: FlyballError;
  readonly why: string;
}

/** The work on its way through the phases, and what the last of them reported. */
interface Course {
  readonly work: Work;
  ended: Ended;
  report?: FailureReport;
}

/** Which output is measured: the texts are with the work. */
interface Draft {
  readonly draft: number;
}

/**
 * The phases between an output and its approval are O5: PLAN to ACT draft, VERIFY with its judge and its gates approves, and
 * what follows until the next VERIFY revises. Its limits are those of the transition table: no round has less than two
 * transitions, so that the pattern's own limit is never the first. Whether a revision changed nothing is for the
 * controller to say, which measures it.
 */
function approved({ maxIterations }: LoopLimits): Agent<Course, Draft> {
  const draft: Agent<Course, Draft> = (run, course) => {
    const { work } = course;
    work.run.note({ kind: 'phase', phase: work.position.phase, iteration: 0 });
    return drafted(run, course);
  };
  const reviser: Agent<Unapproved<Course, Draft>, Draft> = (run, { input }) => drafted(run, input);
  return untilApproved(draft, { test: measured, reviser }, { maxRounds: maxIterations, same: () => false });
}

/** Works up to the next VERIFY. Less than was asked for needs no further one: people have agreed to it. */
async function drafted(run: Run, course: Course): Promise<Outcome<Draft>> {
  const { work } = course;
  const isOpen = (): boolean => work.position.over !== true;
  while (isOpen() && work.position.phase !== 'VERIFY' && work.position.phase !== 'COMMIT') await step(run, course);
  const draft = { draft: work.verifications };
  if (!isOpen()) return blocked(course.ended.why);
  return work.position.phase === 'COMMIT' ? degraded(draft, course.ended.why) : done(draft);
}

/** VERIFY, again while it asks for another try: approved is what it leads to COMMIT. */
const measured: Test<Course, Draft> = async (run, _draft, course) => {
  const { work } = course;
  do await step(run, course);
  while (work.position.phase === 'VERIFY' && work.position.over !== true);
  const score = work.verdict?.aggregate ?? 0;
  return work.position.phase === 'COMMIT' ? { ok: true, score } : { ok: false, because: course.ended.why, score };
};

async function step(run: Run, course: Course): Promise<void> {
  const from = course.work.position.phase;
  const reported = await onePhase(run, course.work);
  await move(run, course.work, from, reported);
  course.ended = reported;
  // told here: at a bound the run ends while this is still on its way out
  if (course.work.position.over === true && reported.result === undefined)
    course.report = tellFailure(course.work, reported.why);
}

async function toItsEnd(run: Run, work: Work, leave: Agent<Course, Draft>): Promise<Outcome<CommitResult>> {
  work.log.startedAt = run.now();
  const course: Course = { work, ended: { why: '' } };
  await leave(run, course); // the position says what it came to
  while (work.position.over !== true) await step(run, course);
  return outcomeOf(run, course);
}

type Reported = Ended & { readonly event: PhaseReport['event'] };

/** Runs the phase in a scope of its own. A failure is a report like any other; a cancellation is not ours to catch. */
async function onePhase(run: Run, work: Work): Promise<Reported> {
  const { phase, iteration } = work.position;
  const before = run.budget.spent().costUsd;
  try {
    run.budget.take('iterations'); // one counter for all agents below one run: children are carved out of it
    const scope = run.scope(`${phase.toLowerCase()}-${iteration}`);
    if (phase === 'COMMIT') return { why: '', ...(await commitPhase(scope, work)) };
    const report = await WORKING[phase as keyof typeof WORKING](scope, work);
    return { event: report.event, why: report.why ?? '' };
  } catch (error) {
    return reportOf(error, work);
  } finally {
    work.log.costByPhase[phase] = (work.log.costByPhase[phase] ?? 0) + run.budget.spent().costUsd - before;
  }
}

function reportOf(error: unknown, work: Work): Reported {
  if (!(error instanceof FlyballError) || error.code === 'CANCELLED') throw error;
  if (error instanceof BoundReachedError) return { event: 'exhausted', error, why: error.message };
  const mayRetry = error.retryable && work.position.retries < work.parts.limits.maxRetries;
  return { event: mayRetry ? 'retry' : 'error', error, why: error.message };
}

const PATIENCE = { baseDelayMs: 500, maxDelayMs: 30_000, jitterMs: 250 };

/** Tells the transition before the next phase begins: entries are in one order, so nothing of it can be durable before. */
async function move(run: Run, work: Work, from: Phase, report: Reported): Promise<void> {
  const { event, why, error } = report;
  work.position = advance(work.position, event, work.parts.limits);
  const { phase: to, iteration, limit } = work.position;
  work.log.transitions.push({ from, event, to });
  work.run.note({
    kind: 'phase',
    phase: to,
    from,
    event,
    iteration,
    ...(why === '' ? {} : { why }),
    ...(limit === undefined ? {} : { limit }),
  });
  assertInvariants(work.run, work);
  if (event === 'retry' && error !== undefined && to === from)
    await run.sleep(backoffMs(PATIENCE, work.position.retries - 1, run.random()));
}

function tellFailure(work: Work, why: string): FailureReport {
  const report = failureReport(work.run, work, why);
  work.run.note({ kind: 'failure-report', ...withoutTexts(report) });
  return report;
}

async function outcomeOf(run: Run, { work, ended, report }: Course): Promise<Outcome<CommitResult>> {
  const { result, error, why } = ended;
  if (result !== undefined) return result.status === 'committed' ? done(result) : degraded(result, lacking(result));
  if (error instanceof BoundReachedError) return { stop: 'bounded', bound: error.bound, limit: error.limit };
  const { limit } = work.position;
  const { store, name } = work.parts;
  await evenIfItFails(run, { kind: 'after-failure-failed', what: 'lesson' }, () =>
    learn(run, store, name, work.task, work.lesson),
  );
  if (limit !== undefined) return { stop: 'bounded', bound: limit, limit: work.parts.limits[limit] };
  const failure =
    error ?? new FlyballError('QUALITY_NOT_REACHED', `The task was not committed: ${why.replace(/\.$/, '')}.`);
  return failed({ ...failureOf(failure), detail: { report } });
}

/** What a result that is not whole lacks, and on whose word it was given out. */
function lacking({ missing, overrides }: CommitResult): string {
  const words = [...new Set(overrides.map(({ by, reason }) => `${by.join(', ')} agreed: ${reason}`))];
  return `less than was asked for: ${[...missing, ...words].join('; ')}`;
}

function failureReport(run: Run, work: Work, reason: string): FailureReport {
  const { log, position, diagnosis, verdict, outputs, exit } = work;
  const { transitions } = log;
  const phase = transitions.at(-1)?.from ?? position.phase;
  return {
    reason,
    phase,
    diagnosis: diagnosis?.defects ?? verdict?.defects ?? [],
    repairs: [...work.repairing.repairs],
    ...(outputs === undefined ? {} : { partial: { ...outputs, reports: [] } }), // reports mostly repeat the artefacts
    ...(exit === undefined ? {} : { exit }),
    checkpoint: { run: run.id, phase, iteration: position.iteration },
  };
}

/** The outcome has the texts: the note only says which they are. */
function withoutTexts({ partial, diagnosis, ...report }: FailureReport) {
  const named = partial?.artefacts.map(({ name, text }) => ({ name, characters: text.length, hash: sha256(text) }));
  return {
    ...report,
    diagnosis: diagnosis.map(({ id, dimension, description }) => ({
      id,
      dimension,
      description: shortened(description),
    })),
    ...(named === undefined ? {} : { partial: named }),
  };
}

function shortened(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function checkTask(task: TaskSpec): void {
  const problem = problemWith(task);
  if (problem !== undefined) throw new ConfigError(`A task of the commit loop ${problem}.`);
}

function problemWith(task: Partial<TaskSpec> | null): string | undefined {
  if (typeof task !== 'object' || task === null) return 'is an object with id, goal, requirements and taskClass';
  for (const field of ['id', 'goal', 'taskClass'] as const)
    if (typeof task[field] !== 'string' || task[field].trim() === '') return `needs ${field}, as text`;
  const { requirements } = task;
  const areTexts = Array.isArray(requirements) && requirements.every((one) => typeof one === 'string');
  return areTexts ? undefined : 'needs requirements, a list of texts; it may be empty';
}
