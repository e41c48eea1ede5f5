import { pyEquals, truthy } from '../../python/equality.js';
import { toInt } from '../../python/number.js';
import { sortedDescending } from '../../python/sorting.js';
import { str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import type { Row } from '../bank.js';
import { bankTool } from '../bank-tool.js';
import { attempt } from '../operations.js';
import { missing, refusal } from '../replies.js';

export const paymentHistory = bankTool(
  'get_payment_history_6183',
  ['credit_card_account_id', 'months'],
  (bank, { credit_card_account_id: account, months: given }) => {
    if (!truthy(account) || given === null) return missing('credit_card_account_id', 'months');
    const months = attempt(() => toInt(given));
    if (months === undefined || months <= 0n) return refusal('months must be a whole number above zero.');
    const all = [...bank.records('payment_history').values()];
    const ofAccount = all.filter((row) => pyEquals(row.get('credit_card_account_id') ?? null, account));
    if (ofAccount.length === 0) return `Account '${str(account)}' has no payment history.`;
    const latest = sortedDescending(ofAccount, dateOf).slice(0, Number(months));
    return [
      `Payment history for account '${str(account)}' (last ${months} months):`,
      `Consecutive on-time payments: ${onTimeInARow(latest)}`,
      ...latest.map(printed),
    ].join('\n');
  },
);

/** Sorted as a text, month first: December of any year stands before the Novembers. */
function dateOf(row: Row): PyValue {
  const date = row.get('payment_date') ?? null;
  return truthy(date) ? date : '';
}

function onTimeInARow(rows: readonly Row[]): number {
  const late = rows.findIndex((row) => row.get('status') !== 'ON_TIME');
  return late < 0 ? rows.length : late;
}

function printed(row: Row): string {
  const shown = (field: string): string => str(row.get(field) ?? null);
  const lines = [`  - Payment Date: ${shown('payment_date')}`, `    Amount: ${shown('amount')}`];
  return ['', ...lines, `    Status: ${shown('status')}`].join('\n');
}
