import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { dollars } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { daysSince } from './age.js';
import { balanceOf } from './balance.js';
import { closureFee } from './closure-fees.js';
import { fieldOf } from './row.js';

/** The fee that falls due when the account is closed today; a date that cannot be read makes none due. */
function feeDue(account: Row): number {
  const rule = closureFee(fieldOf(account, 'class', ''), fieldOf(account, 'level', ''));
  const opened = fieldOf(account, 'date_opened', '');
  if (rule === undefined || !truthy(opened)) return 0;
  const age = daysSince(opened);
  return age !== undefined && age < rule.windowDays ? rule.fee : 0;
}

const close = bankTool(
  'close_bank_account_7392',
  ['account_id', 'reason', 'waive_early_closure_fee'],
  (bank, { account_id, reason, waive_early_closure_fee }) => {
    if (!truthy(account_id)) return missing('account_id');
    const account = bank.find('accounts', account_id);
    if (account === undefined) return refusal(`there is no account '${str(account_id)}'.`);
    if (fieldOf(account, 'status') === 'CLOSED') return refusal(`account '${str(account_id)}' is closed already.`);
    const balance = balanceOf(account);
    const fee = truthy(waive_early_closure_fee) ? 0 : feeDue(account);
    if (fee > 0 && balance < fee) return refusal('this account cannot be closed.');
    if (balance - fee !== 0) {
      return refusal(`an account can be closed only at $0.00. It holds ${dollars(balance)}.`);
    }
    bank.update('accounts', account_id, {
      status: 'CLOSED',
      date_closed: today,
      closure_reason: reason,
      early_closure_fee_waived: waive_early_closure_fee,
    });
    return report('The bank account is closed now.', [
      ['Account ID', str(account_id)],
      ['Type', str(fieldOf(account, 'account_type', 'N/A'))],
      ['Class', str(fieldOf(account, 'account_class', 'N/A'))],
      ['Status', 'CLOSED'],
      ['Closed on', today],
      ['Reason', str(reason)],
      ['Fee for early closure waived', truthy(waive_early_closure_fee) ? 'Yes' : 'No'],
    ]);
  },
);

export const closing: readonly BankTool[] = [close];
