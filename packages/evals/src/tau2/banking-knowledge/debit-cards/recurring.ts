import { truthy } from '../../python/equality.js';
import { str, upper } from '../../python/text.js';
import { fieldOf } from '../accounts/row.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { textFor } from '../operations.js';
import { missing, refusal } from '../replies.js';

const setBlock = bankTool(
  'set_debit_card_recurring_block_7382',
  ['card_id', 'block_recurring'],
  (bank, { card_id, block_recurring }) => {
    if (!truthy(card_id)) return missing('card_id');
    const card = bank.find('debit_cards', card_id);
    if (card === undefined || card.size === 0) return refusal(`there is no debit card '${str(card_id)}'.`);
    const status = upper(textFor(fieldOf(card, 'status', ''), 'upper'));
    if (status !== 'ACTIVE') {
      return refusal(`recurring payments can be set only on an ACTIVE card, and this one has status '${status}'.`);
    }
    bank.update('debit_cards', card_id, { recurring_blocked: block_recurring });
    const id = str(card_id);
    return truthy(block_recurring)
      ? `Debit card ${id}: recurring payments are BLOCKED within 24 hours. Subscriptions are declined, single purchases not.`
      : `Debit card ${id}: recurring payments are UNBLOCKED within 24 hours. Subscriptions are charged again.`;
  },
);

export const recurring: readonly BankTool[] = [setBlock];
