import { truthy } from '../../python/equality.js';
import { lower, str } from '../../python/text.js';
import { fieldOf } from '../accounts/row.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { inWords } from '../cards/wording.js';
import { isOneOf, textFor } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';

const reasons = ['lost', 'stolen', 'fraud_suspected', 'damaged', 'no_longer_needed', 'account_closing'];

function advice(reason: string): readonly string[] {
  const isUnsafe = isOneOf(reason, ['lost', 'stolen', 'fraud_suspected']);
  return [
    ...(isUnsafe
      ? ['IMPORTANT: for security it stopped working at once. Pending transactions may still go through.']
      : []),
    ...(reason === 'fraud_suspected'
      ? [
          'The customer goes through recent transactions, disputes those that were unauthorized, and is advised to',
          'change the online banking password.',
        ]
      : []),
    'It cannot be activated again: whoever needs a card orders a new one in the usual way.',
    'Recurring payments that used it need new payment details.',
  ];
}

const close = bankTool('close_debit_card_4721', ['card_id', 'reason'], (bank, { card_id, reason }) => {
  if (!truthy(card_id) || !truthy(reason)) return missing('card_id', 'reason');
  const known = lower(textFor(reason, 'lower'));
  if (!reasons.includes(known)) return notAmong('reason', reasons);
  const card = bank.find('debit_cards', card_id);
  if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
  const status = fieldOf(card, 'status');
  if (!isOneOf(status, ['ACTIVE', 'PENDING'])) {
    const rule = 'only ACTIVE or PENDING cards can';
    return refusal(`debit card '${str(card_id)}' cannot be closed. Its status is ${str(status)}; ${rule}.`);
  }
  bank.update('debit_cards', card_id, { status: 'CLOSED', closed_date: today, closure_reason: known });
  const facts = [
    ['Card ID', str(card_id)],
    ['Status before', str(status)],
    ['Status now', 'CLOSED'],
    ['Reason', inWords(known)],
    ['Closed on', today],
  ] as const;
  return [report('The debit card is closed for good.', facts), ...advice(known)].join('\n');
});

export const closing: readonly BankTool[] = [close];
