import { multiply } from '../../python/arithmetic.js';
import { formatFixed } from '../../python/format.js';
import { floatText, toInt } from '../../python/number.js';
import { repr, str } from '../../python/text.js';
import { today } from '../bank.js';
import { bankTool } from '../bank-tool.js';
import { ids } from '../ids.js';
import { dollars, keyOf } from '../operations.js';
import { refusal, report } from '../replies.js';

/** Percent of a purchase that comes back, by card: in general, and in the categories that differ. */
const rates: ReadonlyMap<string, readonly [general: number, special?: Readonly<Record<string, number>>]> = new Map([
  ['Bronze Rewards Card', [1]],
  ['Silver Rewards Card', [1, { Travel: 4, Software: 4 }]],
  ['Gold Rewards Card', [2.5]],
  ['Platinum Rewards Card', [10]],
  ['Business Bronze Rewards Card', [1]],
  ['Business Silver Rewards Card', [1, { Travel: 10, Software: 10 }]],
  ['Green Rewards Card', [1, { Sustainable: 3 }]],
  ['Business Gold Rewards Card', [1, { Operations: 2.5 }]],
  ['Business Platinum Rewards Card', [1.5, { Travel: 4, Software: 4, Media: 4 }]],
  ['Silver Zoom Card', [1, { Transportation: 3 }]],
  ['Diamond Elite Card', [5]],
  ['EcoCard', [1, { Green: 5 }]],
  ['Crypto-Cash Back', [2]],
]);

function rateOf(card: string, category: string): number | undefined {
  const [general, special = {}] = rates.get(card) ?? [];
  return Object.hasOwn(special, category) ? special[category] : general;
}

export const submitTransaction = bankTool(
  'submit_transaction',
  ['user_id', 'credit_card_type', 'merchant_name', 'amount', 'category'],
  (bank, { user_id, credit_card_type, merchant_name, amount, category }) => {
    const card = keyOf(credit_card_type);
    const rate = rateOf(card ?? '', str(category));
    if (rate === undefined) {
      return refusal(`there is no card '${str(credit_card_type)}'. Choose one of ${repr([...rates.keys()])}.`);
    }
    const id = ids.transaction(user_id, credit_card_type, merchant_name, formatFixed(amount, 2), category);
    const points = `${toInt(multiply(amount, rate))} points`;
    const record = {
      transaction_id: id,
      user_id,
      credit_card_type,
      merchant_name,
      transaction_amount: dollars(amount),
      transaction_date: today,
      category,
      status: 'COMPLETED',
      rewards_earned: points,
    };
    if (!bank.add('credit_card_transaction_history', id, record)) {
      return `Failed: the record ID '${id}' may already be taken.`;
    }
    return report('The transaction is booked.', [
      ['Transaction ID', id],
      ['User ID', str(user_id)],
      ['Card', str(credit_card_type)],
      ['Merchant', str(merchant_name)],
      ['Amount', dollars(amount)],
      ['Category', str(category)],
      ['Date', today],
      ['Rewards', `${points} (${floatText(rate)}% back)`],
    ]);
  },
);
