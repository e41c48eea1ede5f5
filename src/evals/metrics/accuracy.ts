import { matchesAction } from '../grading/match-action.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { Compliance } from '../world/environment.js';
import type { Task } from '../world/task.js';
import { madeCalls } from './tool-calls.js';

/** A share that keeps what it is a share of: "412 / 571" says more than "72 %". */
export interface Share {
  readonly of: number;
  readonly hits: number;
}

export interface AccuracyFacts {
  /** Null where the database was not compared. */
  readonly dbMatch: boolean | null;
  /** Gold actions of any type that some call matched. */
  readonly actions: Share;
  readonly reads: Share;
  /** Gold writes that some call matched. */
  readonly goldWrites: Share;
  /** Writes the agent or the user issued that match a gold one. */
  readonly issuedWrites: Share;
}

export function accuracyOf(
  { reward, messages }: SimulationRecord,
  task: Task | undefined,
  { writes }: Compliance,
): AccuracyFacts {
  const checks = reward?.actions ?? [];
  const share = (type?: string): Share => {
    const ofType = checks.filter(({ toolType }) => type === undefined || toolType === type);
    return { of: ofType.length, hits: ofType.filter(({ matched }) => matched).length };
  };
  const gold = task?.criteria?.actions ?? [];
  const issued = madeCalls(messages).filter(({ call }) => writes.has(call.name));
  return {
    dbMatch: reward?.db?.match ?? null,
    actions: share(),
    reads: share('read'),
    goldWrites: share('write'),
    issuedWrites: {
      of: issued.length,
      hits: issued.filter(({ call }) => gold.some((action) => matchesAction(action, call))).length,
    },
  };
}

export function addShares(shares: readonly Share[]): Share {
  return shares.reduce((sum, { of, hits }) => ({ of: sum.of + of, hits: sum.hits + hits }), { of: 0, hits: 0 });
}

export function rateOf({ of, hits }: Share): number | null {
  return of === 0 ? null : hits / of;
}
