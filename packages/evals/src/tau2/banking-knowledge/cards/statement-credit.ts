import { isOrdered, truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { today } from '../bank.js';
import { bankTool } from '../bank-tool.js';
import { isFound, recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { dollars, fixedText, isOneOf } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { inWords } from './wording.js';

const reasons = [
  'goodwill_adjustment',
  'promotional_credit',
  'annual_fee_reversal',
  'late_fee_reversal',
  'interest_charge_reversal',
  'dispute_resolution',
  'price_match',
  'retention_offer',
  'error_correction',
  'other',
];

export const statementCredit = bankTool(
  'apply_statement_credit_8472',
  ['user_id', 'credit_card_account_id', 'amount', 'reason'],
  (bank, { user_id, credit_card_account_id, amount, reason }) => {
    if (!truthy(user_id) || !truthy(credit_card_account_id) || amount === null || !truthy(reason)) {
      return missing('user_id', 'credit_card_account_id', 'amount', 'reason');
    }
    if (isOrdered(amount, '<=', 0n)) return refusal('the amount of a credit must be above zero.');
    if (!isOneOf(reason, reasons)) return notAmong('reason', reasons);
    if (!isFound(recordsWhere(bank, 'credit_card_accounts', 'account_id', credit_card_account_id))) {
      return refusal(`there is no credit card account '${str(credit_card_account_id)}'.`);
    }
    // The account is no part of the id: the same credit to the same user is taken for the same one.
    const id = ids.transaction(user_id, 'STATEMENT_CREDIT', reason, fixedText(amount, 2), 'Statement Credit');
    const record = {
      transaction_id: id,
      user_id,
      credit_card_account_id,
      credit_card_type: 'N/A',
      merchant_name: 'Rho-Bank Statement Credit',
      transaction_amount: `-${dollars(amount)}`,
      transaction_date: today,
      category: 'Statement Credit',
      status: 'COMPLETED',
      rewards_earned: '0 points',
      credit_reason: reason,
    };
    if (!bank.add('credit_card_transaction_history', id, record)) {
      return refusal(`the credit was not applied: transaction ID '${id}' may already be on record.`);
    }
    return report('The statement credit is applied by apply_statement_credit_8472.', [
      ['Transaction ID', id],
      ['User ID', str(user_id)],
      ['Account', str(credit_card_account_id)],
      ['Amount', dollars(amount)],
      ['Reason', inWords(reason)],
      ['Date', today],
    ]);
  },
);
