import { pyEquals, truthy } from '../../python/equality.js';
import { toFloat } from '../../python/number.js';
import { str } from '../../python/text.js';
import { balanceOf } from '../accounts/balance.js';
import { bankTool } from '../bank-tool.js';
import { attempt, dollars, fixedText } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { cardAmount } from './card-amount.js';

const needed = ['user_id', 'checking_account_id', 'credit_card_account_id'] as const;

export const payFromChecking = bankTool(
  'pay_credit_card_from_checking_9182',
  [...needed, 'amount'],
  (bank, { user_id, checking_account_id, credit_card_account_id, amount: given }) => {
    if (!truthy(user_id) || !truthy(checking_account_id) || !truthy(credit_card_account_id) || given === null) {
      return missing(...needed, 'amount');
    }
    const amount = attempt(() => toFloat(given));
    if (amount === undefined) return refusal('the amount of a payment must be a number above zero.');
    if (amount <= 0) return refusal('the amount of a payment must be above zero.');

    const [user, from, to] = [str(user_id), str(checking_account_id), str(credit_card_account_id)];
    const account = bank.find('accounts', checking_account_id);
    if (account === undefined) return refusal(`there is no checking account '${from}'.`);
    if (!pyEquals(account.get('user_id') ?? null, user_id)) {
      return refusal(`checking account '${from}' is not one of user '${user}'.`);
    }
    if (account.get('class') !== 'checking') return refusal(`account '${from}' is not a checking account.`);
    const balance = balanceOf(account);
    if (amount > balance) {
      return refusal(`the checking account holds too little: ${dollars(balance)} for a payment of ${dollars(amount)}.`);
    }

    const card = bank.find('credit_card_accounts', credit_card_account_id);
    if (card === undefined) return refusal(`there is no credit card account '${to}'.`);
    if (!pyEquals(card.get('user_id') ?? null, user_id)) {
      return refusal(`credit card account '${to}' is not one of user '${user}'.`);
    }
    const owed = cardAmount(card.get('current_balance'));
    if (amount > owed) return refusal(`the payment of ${dollars(amount)} is more than is owed: ${dollars(owed)}.`);

    // The two tables write money differently, and later tools depend on it.
    bank.update('accounts', checking_account_id, { current_holdings: fixedText(balance - amount, 2) });
    bank.update('credit_card_accounts', credit_card_account_id, { current_balance: dollars(owed - amount) });
    return report('The card payment is made, effective at once.', [
      ['Amount', dollars(amount)],
      ['From checking account', from],
      ['To credit card account', to],
      ['Left on the checking account', dollars(balance - amount)],
      ['Left to pay on the card', dollars(owed - amount)],
    ]);
  },
);
