import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { today } from '../bank.js';
import { bankTool } from '../bank-tool.js';
import { isFound, recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { isOneOf } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { inWords } from './wording.js';

const types = ['annual_fee_waived', 'promotional_apr', 'rewards_bonus', 'other'];
const reasons = ['retention_offer', 'loyalty_benefit', 'promotional', 'error_correction', 'other'];
const parameters = ['credit_card_account_id', 'user_id', 'flag_type', 'expiration_date', 'reason'] as const;

export const accountFlag = bankTool('apply_credit_card_account_flag_6147', parameters, (bank, args) => {
  const { credit_card_account_id, user_id, flag_type, expiration_date, reason } = args;
  if (!parameters.every((name) => truthy(args[name]))) return missing(...parameters);
  if (!isOneOf(flag_type, types)) return notAmong('flag_type', types);
  if (!isOneOf(reason, reasons)) return notAmong('reason', reasons);
  if (!isFound(recordsWhere(bank, 'credit_card_accounts', 'account_id', credit_card_account_id))) {
    return refusal(`there is no credit card account '${str(credit_card_account_id)}'.`);
  }
  const id = ids.flag(credit_card_account_id, flag_type, expiration_date);
  const record = {
    flag_id: id,
    credit_card_account_id,
    user_id,
    flag_type,
    effective_date: today,
    expiration_date,
    reason,
    applied_at: today,
    status: 'ACTIVE',
  };
  if (!bank.add('credit_card_account_flags', id, record)) {
    return refusal(`the flag was not set: flag ID '${id}' may already be on record.`);
  }
  return report('The flag is set on the account.', [
    ['Flag ID', id],
    ['Account', str(credit_card_account_id)],
    ['User ID', str(user_id)],
    ['Type', inWords(flag_type)],
    ['From', today],
    ['Until', str(expiration_date)],
    ['Reason', inWords(reason)],
  ]);
});
