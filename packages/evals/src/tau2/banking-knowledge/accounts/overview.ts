import { listing } from '../../../world/print-query.js';
import { compareDates, type PyDateTime, tryStrptime } from '../../python/dates.js';
import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import type { Row } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { isFound, recordsWhere } from '../base/lookups.js';
import { missing, refusal } from '../replies.js';
import { fieldOf, rowsWith } from './row.js';

const allAccounts = bankTool('get_all_user_accounts_by_user_id_3847', ['user_id'], (bank, { user_id }) => {
  if (!truthy(user_id)) return missing('user_id');
  const accounts = recordsWhere(bank, 'accounts', 'user_id', user_id);
  const cards = recordsWhere(bank, 'credit_card_accounts', 'user_id', user_id);
  return [
    `get_all_user_accounts_by_user_id_3847: what user ${str(user_id)} has`,
    'At the bank:',
    isFound(accounts) ? accounts : 'No bank accounts.',
    'On credit cards:',
    isFound(cards) ? cards : 'No credit card accounts.',
  ].join('\n');
});

const history = 'bank_account_transaction_history';

/** Where a date that cannot be read stands: with the first day there is. */
const earliest: PyDateTime = { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0 };

/** Newest first; those of one moment keep their order. */
function newestFirst([, a]: readonly [string, Row], [, b]: readonly [string, Row]): number {
  return compareDates(momentOf(b), momentOf(a));
}

function momentOf(transaction: Row): PyDateTime {
  const date = str(fieldOf(transaction, 'date', ''));
  return tryStrptime(date, '%m/%d/%Y %H:%M:%S') ?? tryStrptime(date, '%m/%d/%Y') ?? earliest;
}

const transactions = bankTool('get_bank_account_transactions_9173', ['account_id'], (bank, { account_id }) => {
  if (!truthy(account_id)) return missing('account_id');
  if (bank.find('accounts', account_id) === undefined) return refusal(`there is no account '${str(account_id)}'.`);
  const found = rowsWith(bank.records(history), 'account_id', account_id).sort(newestFirst);
  const head = `get_bank_account_transactions_9173: transactions of account ${str(account_id)}\n`;
  return head + (found.length === 0 ? 'There are none.' : listing(history, found));
});

export const overview: readonly BankTool[] = [allAccounts, transactions];
