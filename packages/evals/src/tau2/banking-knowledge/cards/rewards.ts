import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { bankTool } from '../bank-tool.js';
import { argumentsShown, missing, refusal } from '../replies.js';

export const updateRewards = bankTool(
  'update_transaction_rewards_3847',
  ['transaction_id', 'new_rewards_earned'],
  (bank, { transaction_id, new_rewards_earned }) => {
    if (!truthy(transaction_id) || !truthy(new_rewards_earned)) return missing('transaction_id', 'new_rewards_earned');
    if (!bank.update('credit_card_transaction_history', transaction_id, { rewards_earned: new_rewards_earned })) {
      return refusal(`there is no transaction '${str(transaction_id)}'.`);
    }
    const shown = argumentsShown('update_transaction_rewards_3847', { transaction_id, new_rewards_earned });
    return `${shown}\nTransaction ID ${str(transaction_id)} now earns ${str(new_rewards_earned)}.`;
  },
);
