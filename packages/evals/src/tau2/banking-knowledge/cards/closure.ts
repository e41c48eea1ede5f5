import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { history, isFound, recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { isOneOf } from '../operations.js';
import { argumentsShown, missing, notAmong, refusal } from '../replies.js';

const reasons = [
  'annual_fee',
  'not_using_card',
  'found_better_card',
  'unhappy_with_rewards',
  'simplifying_finances',
  'negative_experience',
  'other',
];

const logReason = bankTool(
  'log_credit_card_closure_reason_4521',
  ['credit_card_account_id', 'user_id', 'closure_reason'],
  (bank, args) => {
    const { credit_card_account_id, user_id, closure_reason } = args;
    if (!truthy(credit_card_account_id) || !truthy(user_id) || !truthy(closure_reason)) {
      return missing('credit_card_account_id', 'user_id', 'closure_reason');
    }
    if (!isOneOf(closure_reason, reasons)) return notAmong('closure_reason', reasons);
    const id = ids.closureReason(credit_card_account_id, user_id);
    // A second reason of the same user keeps the first and says nothing of it, as in the reference.
    bank.add('credit_card_closure_reasons', id, {
      record_id: id,
      credit_card_account_id,
      user_id,
      closure_reason,
      logged_at: today,
      status: 'LOGGED',
    });
    const shown = argumentsShown('log_credit_card_closure_reason_4521', {
      credit_card_account_id,
      user_id,
      closure_reason,
    });
    return `${shown}\nThe reason '${str(closure_reason)}' is noted for account ${str(credit_card_account_id)}.`;
  },
);

const reasonHistory = bankTool(
  'get_closure_reason_history_8293',
  ['credit_card_account_id'],
  (bank, { credit_card_account_id: account }) => {
    if (!truthy(account)) return missing('credit_card_account_id');
    const records = recordsWhere(bank, 'credit_card_closure_reasons', 'credit_card_account_id', account);
    const about = `reasons noted for closing credit card account ${str(account)}`;
    return history('get_closure_reason_history_8293', about, records, 'There are none.');
  },
);

const closeAccount = bankTool(
  'close_credit_card_account_7834',
  ['credit_card_account_id', 'user_id'],
  (bank, { credit_card_account_id, user_id }) => {
    if (!truthy(credit_card_account_id) || !truthy(user_id)) return missing('credit_card_account_id', 'user_id');
    const account = str(credit_card_account_id);
    if (!isFound(recordsWhere(bank, 'credit_card_accounts', 'account_id', credit_card_account_id))) {
      return refusal(`there is no credit card account '${account}'.`);
    }
    const fields = { status: 'CLOSED', closed_date: today, closed_by: user_id };
    if (!bank.update('credit_card_accounts', credit_card_account_id, fields)) {
      return refusal(`credit card account '${account}' could not be closed.`);
    }
    const shown = argumentsShown('close_credit_card_account_7834', { credit_card_account_id, user_id });
    return `${shown}\nAccount ${account} is closed.`;
  },
);

export const closure: readonly BankTool[] = [logReason, reasonHistory, closeAccount];
