import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { history, isFound, recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { isOneOf } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { inWords } from './wording.js';

const reasons = ['fraud_suspected', 'lost', 'stolen', 'damaged', 'expired', 'other'];
const needed = ['credit_card_account_id', 'user_id', 'shipping_address', 'reason'] as const;

const orderReplacement = bankTool(
  'order_replacement_credit_card_7291',
  [...needed, 'expedited_shipping'],
  (bank, args) => {
    const { credit_card_account_id: account, user_id, shipping_address, reason, expedited_shipping } = args;
    if (!needed.every((name) => truthy(args[name]))) return missing(...needed);
    if (!isOneOf(reason, reasons)) return notAmong('reason', reasons);
    if (!isFound(recordsWhere(bank, 'credit_card_accounts', 'account_id', account))) {
      return refusal(`there is no credit card account '${str(account)}'.`);
    }
    const id = ids.cardOrder(account, user_id, reason);
    const record = {
      order_id: id,
      credit_card_account_id: account,
      user_id,
      shipping_address,
      reason,
      expedited_shipping,
      order_date: today,
      status: 'ORDERED',
      old_card_cancelled: true,
    };
    if (!bank.add('credit_card_orders', id, record)) return refusal('this replacement may already be ordered.');
    // Found by its field above, closed by its id here: a record whose two differ stays open, as in the reference.
    bank.update('credit_card_accounts', account, { status: 'CLOSED', closed_date: today });
    const isFast = truthy(expedited_shipping);
    return report('The replacement is ordered. The old card is cancelled; number and CVV of the new one differ.', [
      ['Order ID', id],
      ['Card account', str(account)],
      ['Reason', inWords(reason)],
      ['Goes to', str(shipping_address)],
      ['Shipping', isFast ? 'Expedited, 2-3 business days' : 'Standard, 7-10 business days'],
    ]);
  },
);

const pendingReplacements = bankTool(
  'get_pending_replacement_orders_5765',
  ['credit_card_account_id'],
  (bank, { credit_card_account_id: account }) => {
    if (!truthy(account)) return missing('credit_card_account_id');
    const records = recordsWhere(bank, 'credit_card_orders', 'credit_card_account_id', account);
    const about = `replacements ordered for credit card account ${str(account)}`;
    return history('get_pending_replacement_orders_5765', about, records, 'There are none.');
  },
);

export const replacement: readonly BankTool[] = [orderReplacement, pendingReplacements];
