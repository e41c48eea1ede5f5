import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { fieldOf } from '../accounts/row.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { missing, refusal, report } from '../replies.js';
import { isAccountShut } from './linked-account.js';

const freeze = bankTool('freeze_debit_card_3892', ['card_id'], (bank, { card_id }) => {
  if (!truthy(card_id)) return missing('card_id');
  const card = bank.find('debit_cards', card_id);
  if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
  const status = fieldOf(card, 'status');
  if (status === 'FROZEN') return refusal(`debit card '${str(card_id)}' is frozen already.`);
  if (status !== 'ACTIVE') {
    return refusal(
      `debit card '${str(card_id)}' cannot be frozen. Its status is ${str(status)}; only ACTIVE cards can.`,
    );
  }
  bank.update('debit_cards', card_id, { status: 'FROZEN', frozen_date: today });
  return [
    report('The debit card is frozen.', [
      ['Card ID', str(card_id)],
      ['Status', 'FROZEN'],
      ['Frozen on', today],
    ]),
    'Until it is unfrozen, purchases, recurring payments and subscriptions are declined. What was authorized before may',
    'still go through. Customer service or the mobile app unfreezes it; a card that is surely lost or stolen is better',
    'closed for good.',
  ].join('\n');
});

const unfreeze = bankTool('unfreeze_debit_card_3893', ['card_id'], (bank, { card_id }) => {
  if (!truthy(card_id)) return missing('card_id');
  const card = bank.find('debit_cards', card_id);
  if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
  const status = fieldOf(card, 'status');
  if (status === 'ACTIVE') return refusal(`debit card '${str(card_id)}' is active already.`);
  if (status !== 'FROZEN') {
    return refusal(
      `debit card '${str(card_id)}' cannot be unfrozen. Its status is ${str(status)}; only FROZEN cards can.`,
    );
  }
  if (isAccountShut(bank, card)) {
    const account = str(fieldOf(card, 'account_id'));
    return refusal(`checking account '${account}', which the card belongs to, is no longer open. It stays frozen.`);
  }
  bank.update('debit_cards', card_id, { status: 'ACTIVE', unfrozen_date: today });
  return [
    report('The debit card is no longer frozen.', [
      ['Card ID', str(card_id)],
      ['Status', 'ACTIVE'],
      ['Unfrozen on', today],
    ]),
    'It can be used at once, for everything.',
  ].join('\n');
});

export const freezing: readonly BankTool[] = [freeze, unfreeze];
