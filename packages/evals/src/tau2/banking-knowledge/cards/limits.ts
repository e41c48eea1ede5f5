import { pyEquals, truthy } from '../../python/equality.js';
import { thousands, toFloat, toInt } from '../../python/number.js';
import { str, upper } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { type Bank, type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { history, recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { attempt, dollars, fixedText, isOneOf, textFor } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { cardAmount } from './card-amount.js';

const openDisputes = ['SUBMITTED', 'UNDER_REVIEW', 'PENDING'];
const openOrders = ['PENDING', 'PROCESSING', 'SHIPPED'];
const badStandings = ['PAST_DUE', 'DELINQUENT', 'COLLECTIONS', 'CLOSED'];
const denialReasons = [
  'insufficient_account_age',
  'cooldown_period_active',
  'pending_disputes',
  'pending_replacement_card',
  'past_due_balance',
  'high_utilization',
  'insufficient_payment_history',
  'requested_amount_exceeds_limit',
  'other',
];

function unknownAccount(account: PyValue): string {
  return refusal(`there is no credit card account '${str(account)}'.`);
}

function isOf(row: Row, field: string, value: PyValue): boolean {
  return pyEquals(row.get(field) ?? null, value);
}

const submit = bankTool(
  'submit_credit_limit_increase_request_7392',
  ['credit_card_account_id', 'user_id', 'requested_increase_amount'],
  (bank, { credit_card_account_id, user_id, requested_increase_amount: asked }) => {
    if (!truthy(credit_card_account_id) || !truthy(user_id) || asked === null) {
      return missing('credit_card_account_id', 'user_id', 'requested_increase_amount');
    }
    const float = attempt(() => toFloat(asked));
    if (float === undefined || !Number.isInteger(float)) {
      return refusal('requested_increase_amount must be a whole number of dollars.');
    }
    const amount = toInt(float);
    if (amount <= 0n) return refusal('the increase must be above zero.');
    const account = bank.find('credit_card_accounts', credit_card_account_id);
    if (account === undefined) return unknownAccount(credit_card_account_id);
    if (!isOf(account, 'user_id', user_id)) {
      return refusal(`credit card account '${str(credit_card_account_id)}' is not one of user '${str(user_id)}'.`);
    }
    const id = ids.limitRequest(credit_card_account_id, user_id, fixedText(amount, 2));
    const record = {
      request_id: id,
      credit_card_account_id,
      user_id,
      requested_increase_amount: amount,
      submitted_at: today,
      status: 'PENDING',
    };
    if (!bank.add('credit_limit_increase_requests', id, record)) return refusal('such a request may already exist.');
    return report('The request is on file, made with submit_credit_limit_increase_request_7392.', [
      ['Request ID', id],
      ['Account', str(credit_card_account_id)],
      ['Increase', `$${thousands(amount)}`],
      ['Status', 'PENDING'],
    ]);
  },
);

/** The agent is not told which of the conditions failed. */
function isEligible(bank: Bank, account: Row, accountId: PyValue, userId: PyValue): boolean {
  for (const dispute of bank.records('transaction_disputes').values()) {
    if (isOf(dispute, 'user_id', userId) && isOneOf(dispute.get('status') ?? null, openDisputes)) return false;
  }
  for (const order of bank.records('credit_card_orders').values()) {
    const isOpen = isOneOf(order.get('status') ?? null, openOrders);
    if (isOpen && isOf(order, 'credit_card_account_id', accountId)) return false;
  }
  const standing = account.get('account_status');
  return standing === undefined || !badStandings.includes(upper(textFor(standing, 'upper')));
}

const approve = bankTool(
  'approve_credit_limit_increase_5847',
  ['credit_card_account_id', 'user_id', 'new_credit_limit'],
  (bank, { credit_card_account_id, user_id, new_credit_limit }) => {
    if (!truthy(credit_card_account_id) || !truthy(user_id) || new_credit_limit === null) {
      return missing('credit_card_account_id', 'user_id', 'new_credit_limit');
    }
    const account = bank.find('credit_card_accounts', credit_card_account_id);
    if (account === undefined) return unknownAccount(credit_card_account_id);
    if (!isOf(account, 'user_id', user_id)) {
      return refusal(`credit card account '${str(credit_card_account_id)}' is not one of user '${str(user_id)}'.`);
    }
    if (!isEligible(bank, account, credit_card_account_id, user_id)) {
      return refusal('this increase of the credit limit cannot be approved at this time.');
    }
    const before = cardAmount(account.get('credit_limit'));
    const after = toFloat(new_credit_limit);
    bank.update('credit_card_accounts', credit_card_account_id, { credit_limit: dollars(after) });
    const id = ids.limitRequest(credit_card_account_id, user_id, fixedText(after - before, 2));
    bank.add('credit_limit_increase_requests', id, {
      request_id: id,
      credit_card_account_id,
      user_id,
      previous_limit: dollars(before),
      new_limit: dollars(after),
      increase_amount: dollars(after - before),
      decision_date: today,
      status: 'APPROVED',
    });
    return report('The higher credit limit is approved and set; the customer gets an email about it.', [
      ['Account', str(credit_card_account_id)],
      ['Limit before', dollars(before)],
      ['Limit now', dollars(after)],
      ['Increase', dollars(after - before)],
      ['Since', today],
    ]);
  },
);

const deny = bankTool(
  'deny_credit_limit_increase_5848',
  ['credit_card_account_id', 'user_id', 'denial_reason'],
  (bank, { credit_card_account_id, user_id, denial_reason }) => {
    if (!truthy(credit_card_account_id) || !truthy(user_id) || !truthy(denial_reason)) {
      return missing('credit_card_account_id', 'user_id', 'denial_reason');
    }
    if (!isOneOf(denial_reason, denialReasons)) {
      return refusal(`denial_reason is not valid. Choose one of: ${denialReasons.join(', ')}.`);
    }
    if (bank.find('credit_card_accounts', credit_card_account_id) === undefined) {
      return unknownAccount(credit_card_account_id);
    }
    // Its id holds no amount, so that the first denial of an account stays and later ones change nothing.
    const id = ids.limitRequest(credit_card_account_id, user_id, '0.00');
    bank.add('credit_limit_increase_requests', id, {
      request_id: id,
      credit_card_account_id,
      user_id,
      denial_reason,
      decision_date: today,
      status: 'DENIED',
    });
    return report('The higher credit limit is denied; the customer gets an explanation.', [
      ['Account', str(credit_card_account_id)],
      ['Reason', str(denial_reason)],
      ['Date', today],
    ]);
  },
);

const increaseHistory = bankTool(
  'get_credit_limit_increase_history_4829',
  ['credit_card_account_id'],
  (bank, { credit_card_account_id: account }) => {
    if (!truthy(account)) return missing('credit_card_account_id');
    const records = recordsWhere(bank, 'credit_limit_increase_requests', 'credit_card_account_id', account);
    const about = `limit increases asked for on account ${str(account)}`;
    return history('get_credit_limit_increase_history_4829', about, records, 'There are none.');
  },
);

export const limits: readonly BankTool[] = [submit, increaseHistory, approve, deny];
