import { truthy } from '../../python/equality.js';
import { dumpJson } from '../../python/json.js';
import { sortedDescending } from '../../python/sorting.js';
import { lower, str } from '../../python/text.js';
import type { PyDict, PyValue } from '../../python/value.js';
import { fieldOf, rowsWith } from '../accounts/row.js';
import type { Row } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { isOneOf, textFor } from '../operations.js';
import { missing, refusal } from '../replies.js';

/** A card under the names that agents know: what a record calls otherwise moves to the end. */
function shown(id: string, card: Row): PyDict {
  const view: PyDict = new Map([['card_id', id], ...card]);
  rename(view, 'last_4_digits', 'card_number_last_4');
  rename(view, view.has('issue_date') ? 'issue_date' : 'created_date', 'date_issued');
  return view;
}

function rename(view: PyDict, from: string, to: string): void {
  const value = view.get(from);
  if (value === undefined || view.has(to)) return;
  view.delete(from);
  view.set(to, value);
}

/** Sorted as a text, as the reference does it: December 2024 comes before January 2025. */
function issueDate(card: PyDict): PyValue {
  const date = fieldOf(card, 'date_issued');
  return truthy(date) ? date : '';
}

const cardsOfAccount = bankTool('get_debit_cards_by_account_id_7823', ['account_id'], (bank, { account_id }) => {
  if (!truthy(account_id)) return missing('account_id');
  const account = bank.find('accounts', account_id);
  if (account === undefined) return refusal(`there is no account '${str(account_id)}'.`);
  const accountClass = lower(textFor(fieldOf(account, 'class', ''), 'lower'));
  if (!isOneOf(accountClass, ['checking', 'business_checking'])) {
    return refusal(`account '${str(account_id)}' is not a checking account, and only those have debit cards.`);
  }
  const cards = rowsWith(bank.records('debit_cards'), 'account_id', account_id).map(([id, card]) => shown(id, card));
  if (cards.length === 0) return `Account '${str(account_id)}' has no debit cards.`;
  return dumpJson(sortedDescending(cards, issueDate), { indent: 2 });
});

export const listing: readonly BankTool[] = [cardsOfAccount];
