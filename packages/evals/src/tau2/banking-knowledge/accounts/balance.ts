import { toFloat } from '../../python/number.js';
import type { PyValue } from '../../python/value.js';
import type { Row } from '../bank.js';
import { fixedText, isOneOf } from '../operations.js';
import { fieldOf } from './row.js';

/** What an account holds. Records write it as `2850.00`, `$2,850.00` or as a number; any other type counts as nothing. */
export function balanceOf(account: Row): number {
  return amountIn(fieldOf(account, 'current_holdings', fieldOf(account, 'balance', 0n)));
}

function amountIn(value: PyValue): number {
  if (typeof value === 'string') return toFloat(value.replaceAll('$', '').replaceAll(',', ''));
  return value === null || typeof value === 'object' ? 0 : toFloat(value);
}

/** How a tool writes a balance back. Which of the two it uses is part of the state that is compared. */
export function plainBalance(amount: number): string {
  return fixedText(amount, 2);
}

/** Money moves only in and out of accounts in one of these states. */
export function isUsable(account: Row): boolean {
  return isOneOf(fieldOf(account, 'status'), ['ACTIVE', 'OPEN']);
}
