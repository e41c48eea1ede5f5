import type { Run } from '../../core/run.js';
import { directDependencies } from '../../plans/graph.js';
import type { Branch, Plan, PlanChange, PlanRevision, PlanStep, StepRecord, StepStatus } from '../../plans/plan.js';
import { notRun } from './step-check.js';

export interface Executed {
  readonly step: PlanStep;
  readonly record: StepRecord;
  /** Of the step's scope: its own for every execution. */
  readonly path: string;
}

/** What a plan under way knows of itself. Rebuilt by the same steps on replay: nothing here is a record of its own. */
export class Progress {
  plan: Plan;
  version: number;
  readonly statuses = new Map<string, StepStatus>();
  /** The last record of every step that ended, in the order of their ends. */
  readonly records = new Map<string, StepRecord>();
  readonly revisions: PlanRevision[] = [];
  /** Every execution of a step that came to an end, with the step as it was then: what a failed plan has to take back. */
  readonly executed: Executed[] = [];
  /** Executions, by the path of their scope, that the plan has taken back itself. */
  readonly takenBack = new Set<string>();
  /** A person said no in this plan: from then on nothing that changes something is forced. */
  heardNo = false;
  /** This version was made after a no: nobody has agreed to what it changes. */
  isAfterNo = false;
  /** Branches that were observed, and which side was taken. */
  private readonly decisions = new Map<string, boolean>();
  private started = 0;

  constructor(plan: Plan, version: number) {
    this.plan = plan;
    this.version = version;
    for (const { id } of plan.steps) this.statuses.set(id, 'pending');
  }

  get done(): readonly string[] {
    return this.stepsThatAre('done').map(({ id }) => id);
  }

  /** In the order in which they ended: a later one may take back what an earlier one made true. */
  get doneInOrder(): readonly PlanStep[] {
    const byId = new Map(this.plan.steps.map((step) => [step.id, step]));
    return [...this.records.values()].flatMap(({ id, status }) => (status === 'done' ? (byId.get(id) ?? []) : []));
  }

  stepsThatAre(status: StepStatus): readonly PlanStep[] {
    return this.plan.steps.filter(({ id }) => this.statuses.get(id) === status);
  }

  /** A name for the step's scope: its own for every execution, whatever the planner called the step. */
  nameFor({ id }: PlanStep): string {
    this.started++;
    return `step-${this.started}-${id.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}`;
  }

  /** What an execution came to. Its status is set apart from it: a step that decides a branch is over only then. */
  keep(run: Run, record: StepRecord, step?: PlanStep): void {
    this.records.delete(record.id); // so that the latest end stands last
    this.records.set(record.id, record);
    if (step !== undefined) this.executed.push({ step, record, path: run.path });
    run.note({ kind: 'step-end', ...record });
  }

  end(run: Run, record: StepRecord): void {
    this.keep(run, record);
    this.statuses.set(record.id, record.status);
  }

  /** What the steps said that nothing else waited for. */
  get output(): string {
    const direct = directDependencies(this.plan);
    const done = this.stepsThatAre('done');
    const isUsed = (id: string): boolean => done.some((other) => direct.get(other.id)?.has(id) === true);
    const last = done.filter(({ id }) => !isUsed(id));
    const resultOf = ({ id }: PlanStep): string => this.records.get(id)?.result ?? '';
    const [only] = last;
    if (only !== undefined && last.length === 1) return resultOf(only);
    return last.map((step) => `${step.description}\n${resultOf(step)}`).join('\n\n');
  }

  decide(branch: Branch, holds: boolean): void {
    this.decisions.set(keyOf(branch), holds);
  }

  decisionOn(branch: Branch): boolean | undefined {
    return this.decisions.get(keyOf(branch));
  }

  /** Goes on with another plan: what is done stays done, what it no longer holds is cancelled, the rest is to be run. */
  revise(run: Run, revisions: readonly PlanRevision[], plan: Plan): void {
    for (const { version, changes } of revisions) {
      this.version = version;
      for (const change of changes) if (change.change === 'cancelled') this.cancel(run, change, plan);
    }
    this.revisions.push(...revisions);
    this.plan = plan;
    this.isAfterNo = this.heardNo;
    for (const { id } of plan.steps) if (this.statuses.get(id) !== 'done') this.statuses.set(id, 'pending');
  }

  /** A step that failed keeps its record: that it was dropped afterwards says the revision. */
  private cancel(run: Run, { id, why }: Extract<PlanChange, { readonly change: 'cancelled' }>, next: Plan): void {
    const isBack = next.steps.some((step) => step.id === id); // dropped and taken back before anything ran
    if (isBack || this.statuses.get(id) === 'failed') return;
    if (this.statuses.has(id)) this.end(run, notRun(id, 'cancelled', why));
  }
}

function keyOf({ at, observation }: Branch): string {
  return JSON.stringify([at, observation]);
}
