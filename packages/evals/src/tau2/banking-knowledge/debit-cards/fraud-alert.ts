import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { fieldOf } from '../accounts/row.js';
import { type Bank, type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { isOneOf } from '../operations.js';
import { missing, refusal, report } from '../replies.js';

const reasons = ['customer_verified', 'velocity_clear'];

const clear = bankTool('clear_debit_card_fraud_alert_4892', ['card_id', 'reason'], (bank, { card_id, reason }) => {
  if (!truthy(card_id)) return missing('card_id');
  if (!truthy(reason)) return missing('reason');
  if (!isOneOf(reason, reasons)) {
    return refusal(`reason '${str(reason)}' is not valid. Choose one of ${reasons.join(', ')}.`);
  }
  const card = bank.find('debit_cards', card_id);
  if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
  return reason === 'velocity_clear' ? clearVelocity(bank, str(card_id), card) : clearAlert(bank, str(card_id), card);
});

function clearVelocity(bank: Bank, id: string, card: Row): string {
  if (!truthy(fieldOf(card, 'velocity_blocked', false))) return refusal(`debit card '${id}' has no velocity block.`);
  bank.update('debit_cards', id, { velocity_blocked: false, velocity_cleared_date: today });
  return [
    report('The velocity block is gone.', [
      ['Card ID', id],
      ['Cleared on', today],
    ]),
    'The card works as usual. Monitoring goes on, and the same unusual pattern can block it again.',
  ].join('\n');
}

function clearAlert(bank: Bank, id: string, card: Row): string {
  if (!truthy(fieldOf(card, 'fraud_alert_active', false))) return refusal(`debit card '${id}' has no fraud alert.`);
  if (fieldOf(card, 'alert_source') === 'bank_initiated') {
    return refusal(
      "BANK_INITIATED_ALERT: the bank's own fraud detection raised this alert, so customer service cannot clear it. " +
        'Hand the customer over to the security team with transfer_to_human_agents.',
    );
  }
  bank.update('debit_cards', id, { fraud_alert_active: false, alert_source: null, fraud_alert_cleared_date: today });
  return [
    report('The fraud alert is gone.', [
      ['Card ID', id],
      ['Cleared on', today],
    ]),
    'The card works as usual. The customer should go through recent transactions and report unauthorized ones.',
  ].join('\n');
}

export const fraudAlert: readonly BankTool[] = [clear];
