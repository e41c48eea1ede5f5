import type { Row } from '../../world/database.js';
import { Refused, text } from './desk.js';

const POUNDS = /^(-?)(\d+)\.(\d\d)$/;

/** Amounts are counted in whole pence and written in pounds: nothing is ever rounded by accident. */
export function penceOf(amount: string): number {
  const [, sign, pounds, pence] = POUNDS.exec(amount) ?? [];
  if (pounds === undefined) throw new Refused(`'${amount}' is not an amount in pounds and pence.`);
  return (sign === '-' ? -1 : 1) * (Number(pounds) * 100 + Number(pence));
}

export function poundsOf(pence: number): string {
  const size = Math.abs(pence);
  const sign = pence < 0 ? '-' : '';
  return `${sign}${Math.floor(size / 100)}.${String(size % 100).padStart(2, '0')}`;
}

export function amountOf(row: Row, field: string): number {
  return penceOf(text(row, field));
}

/** Prices per unit and per day have hundredths of a penny. */
export function priceOf(row: Row, field: string): number {
  return penceOf(text(row, field));
}

const VAT_PERCENT = 5;

/** What energy costs with VAT, in pence; half a penny is rounded up. */
export function chargeFor(use: {
  readonly units: number;
  readonly unitPrice: number;
  readonly days: number;
  readonly dayPrice: number;
}): number {
  const hundredths = (use.units * use.unitPrice + use.days * use.dayPrice) * (100 + VAT_PERCENT);
  return Math.floor(hundredths / 10_000 + 0.5);
}
