import { truthy } from '../../python/equality.js';
import { fixed, floatText, toFloat } from '../../python/number.js';
import type { PyValue } from '../../python/value.js';
import { attempt } from '../operations.js';

export interface OrderFees {
  readonly delivery: number;
  readonly design: number;
  /** A value that cannot be read counts as the whole number 0, which is not the same record as 0.0. */
  readonly excess: number | 0n;
  readonly total: number;
}

/** Null stays null: it is reported as missing only after all fees were read. */
export function readFee(value: PyValue): number | null | undefined {
  return value === null ? null : attempt(() => toFloat(value));
}

export function readExcess(value: PyValue): number | 0n {
  return attempt(() => toFloat(truthy(value) ? value : 0n)) ?? 0n;
}

export function feesOf(delivery: number, design: number, excess: number | 0n): OrderFees {
  return { delivery, design, excess, total: delivery + design + Number(excess) };
}

/** The fees that are charged, each after its name; what stands between is up to the reader. */
export function feeParts(fees: OrderFees, between: string): string {
  const parts = [
    fees.delivery > 0 ? `Delivery${between}$${floatText(fees.delivery)}` : '',
    fees.design > 0 ? `Design${between}$${floatText(fees.design)}` : '',
    fees.excess > 0 ? `Excess Replacement${between}$${fixed(Number(fees.excess), 0)}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
