import type { Failure } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import { stateAfter, unmetPreconditions } from '../../plans/facts.js';
import { readySteps } from '../../plans/index.js';
import type { PlanStep } from '../../plans/plan.js';
import { DEFAULT_WIDTH } from './parts.js';
import type { Progress } from './progress.js';
import { notRun } from './step-check.js';

/** Why a plan cannot simply go on. */
export interface Trouble {
  readonly step: string;
  readonly why: string;
  readonly failure?: Failure;
  /** A bound of the run: no other plan helps. */
  readonly bound?: { readonly name: string; readonly limit: number };
}

/**
 * Runs the steps that are ready, at most `width` at a time: a step begins the moment that a lane is free and everything
 * it waits for is done. After the first trouble nothing new begins; what is under way is brought to its end.
 *
 * Deterministic: which step a lane takes depends only on what ended before, and ends reach the code in journal order.
 */
export async function dispatch(
  run: Run,
  progress: Progress,
  how: {
    readonly width: number | undefined;
    readonly facts: readonly string[];
    readonly carryOut: (lane: Run, step: PlanStep) => Promise<Trouble | undefined>;
  },
): Promise<readonly Trouble[]> {
  const desk = new Desk(run, progress, how.facts);
  const lane = async (own: Run): Promise<void> => {
    for (let step = await desk.next(); step !== undefined; step = await desk.next()) {
      desk.ended(await how.carryOut(own, step).catch((error: unknown) => desk.broken(error)));
    }
  };
  const lanes =
    progress.plan.shape === 'ordered' ? 1 : Math.min(lanesFor(run, how.width), progress.stepsThatAre('pending').length);
  if (lanes <= 1) {
    await lane(run);
  } else {
    for (const settled of await run.all(
      Array.from({ length: lanes }, () => lane),
      lanes,
    ))
      if (!settled.ok) throw settled.error;
  }
  return desk.troubles;
}

/** A plan that asks for more than the run's budget lets it open is slower, not over. */
export function lanesFor(run: Run, width: number = DEFAULT_WIDTH): number {
  return Math.max(1, Math.min(width, Math.floor(run.budget.limits.width)));
}

/** Hands out steps to lanes. */
class Desk {
  readonly troubles: Trouble[] = [];
  private readonly run: Run;
  private readonly progress: Progress;
  private readonly facts: readonly string[];
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private isBroken = false;

  constructor(run: Run, progress: Progress, facts: readonly string[]) {
    this.run = run;
    this.progress = progress;
    this.facts = facts;
  }

  /** The next step for a lane; undefined when there is none and none will come. */
  async next(): Promise<PlanStep | undefined> {
    for (;;) {
      const step = this.take();
      if (step !== undefined) return step;
      if (this.running === 0 || this.isOver) return undefined;
      await new Promise<void>((resolve) => this.waiting.push(resolve)); // another lane's end wakes it
    }
  }

  ended(trouble: Trouble | undefined): void {
    this.running--;
    if (trouble !== undefined) this.troubles.push(trouble);
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** The other lanes end at their next turn; whoever broke says why. */
  broken(error: unknown): never {
    this.isBroken = true;
    this.ended(undefined);
    throw error;
  }

  private get isOver(): boolean {
    return this.isBroken || this.troubles.length > 0;
  }

  private take(): PlanStep | undefined {
    if (this.isOver) return undefined;
    const { plan, statuses } = this.progress;
    const ready = readySteps(plan, Object.fromEntries(statuses), plan.steps.length);
    const step = ready.find((candidate) => this.unmet(candidate).length === 0);
    if (step !== undefined) {
      this.running++;
      statuses.set(step.id, 'running'); // at once, before another lane looks
      return step;
    }
    // what is under way may still make it true
    if (this.running === 0) this.block(ready[0]);
    return undefined;
  }

  private unmet(step: PlanStep): readonly string[] {
    return unmetPreconditions(step, stateAfter(this.facts, this.progress.doneInOrder));
  }

  private block(ready: PlanStep | undefined): void {
    const step = ready ?? this.progress.stepsThatAre('pending')[0];
    if (step === undefined) return;
    const why =
      ready === undefined
        ? `it waits for steps that are not done: ${step.dependsOn.join(', ')}`
        : `what it needs does not hold: ${this.unmet(ready).join(', ')}`;
    this.progress.end(this.run, notRun(step.id, 'blocked', why));
    this.troubles.push({ step: step.id, why });
  }
}
