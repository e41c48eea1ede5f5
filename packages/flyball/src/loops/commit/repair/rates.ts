import type { RootCause } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';

export interface RepairCount {
  readonly tried: number;
  readonly resolved: number;
}

/** How often a strategy resolved a defect of a cause. Plain JSON: it is kept from one task of a class to the next. */
export type RepairRates = Readonly<Partial<Record<RootCause, Readonly<Partial<Record<Strategy, RepairCount>>>>>>;

export const EMPTY_RATES: RepairRates = {};

/** Fewer tries than these say nothing yet. */
export const MIN_SAMPLES = 5;

export function recordRepair(
  rates: RepairRates,
  of: { readonly cause: RootCause; readonly strategy: Strategy; readonly resolved: boolean },
): RepairRates {
  const { tried, resolved } = rates[of.cause]?.[of.strategy] ?? { tried: 0, resolved: 0 };
  const count = { tried: tried + 1, resolved: resolved + (of.resolved ? 1 : 0) };
  return { ...rates, [of.cause]: { ...rates[of.cause], [of.strategy]: count } };
}

/** With every repair of a list. */
export function withRepairs(rates: RepairRates, repairs: readonly Parameters<typeof recordRepair>[1][]): RepairRates {
  return repairs.reduce(recordRepair, rates);
}

/** From 0 to 1; undefined where too little is known. */
export function successRate(rates: RepairRates, cause: RootCause, strategy: Strategy): number | undefined {
  const count = rates[cause]?.[strategy];
  return count === undefined || count.tried < MIN_SAMPLES ? undefined : count.resolved / count.tried;
}
