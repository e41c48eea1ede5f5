import { checkActions } from '../grading/action-checks.js';
import { matchesAction } from '../grading/match-action.js';
import type { ActionCheck } from '../grading/reward.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { Task } from '../world/task.js';
import type { Condition } from './condition.js';
import { madeCalls } from './tool-calls.js';

/** A share that keeps what it is a share of: "412 / 571" says more than "72 %". */
export interface Share {
  readonly of: number;
  readonly hits: number;
}

/** How accurate a simulation was: the database, the actions and the writes. */
export interface AccuracyFacts {
  /** Null where there is nothing to compare the database with: the task has no criteria. */
  readonly dbMatch: boolean | null;
  /** Gold actions of any type that some call matched. */
  readonly actions: Share;
  readonly reads: Share;
  /** Gold writes that some call matched. */
  readonly goldWrites: Share;
  /** Writes the agent or the user issued that match a gold one. */
  readonly issuedWrites: Share;
}

/** Measures how accurate a simulation was. */
export function accuracyOf(
  simulation: SimulationRecord,
  task: Task | undefined,
  { domain, typeOf }: Pick<Condition, 'domain' | 'typeOf'>,
): AccuracyFacts {
  const { reward, messages } = simulation;
  const checks = checksOf(simulation, task, typeOf);
  const share = (type?: string): Share => {
    const ofType = checks.filter(({ toolType }) => type === undefined || toolType === type);
    return { of: ofType.length, hits: ofType.filter(({ matched }) => matched).length };
  };
  const gold = task?.criteria?.actions ?? [];
  const issued = madeCalls(messages).filter(({ call }) => domain.compliance.writes.has(call.name));
  return {
    // what was cut off has no end that could be right, and is no smaller part of N for it
    dbMatch: reward?.db?.match ?? (hasEnded(simulation) ? null : false),
    actions: share(),
    reads: share('read'),
    goldWrites: share('write'),
    issuedWrites: {
      of: issued.length,
      hits: issued.filter(({ call }) => gold.some((action) => matchesAction(action, call))).length,
    },
  };
}

/** As they were graded. A simulation that a limit cut off is graded with a bare 0, so its calls are compared here. */
function checksOf(
  { reward, messages, termination }: SimulationRecord,
  task: Task | undefined,
  typeOf: Condition['typeOf'],
): readonly ActionCheck[] {
  if (reward?.actions != null) return reward.actions;
  const gold = task?.criteria?.actions ?? [];
  return hasEnded({ termination }) ? [] : checkActions(gold, messages, typeOf);
}

/** By one of the two sides, and not at a limit or by an error. */
export function hasEnded({ termination }: Pick<SimulationRecord, 'termination'>): boolean {
  return termination === 'user_stop' || termination === 'agent_stop';
}

export function rateOf({ of, hits }: Share): number | null {
  return of === 0 ? null : hits / of;
}
