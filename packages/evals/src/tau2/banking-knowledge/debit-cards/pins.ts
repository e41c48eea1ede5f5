import { pyEquals, truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { fieldOf } from '../accounts/row.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { missing, refusal, report } from '../replies.js';
import { hasDigits, pinProblem } from './digits.js';

const reset = bankTool('reset_debit_card_pin_6284', ['card_id', 'last_4_digits', 'new_pin'], (bank, args) => {
  const { card_id, last_4_digits, new_pin } = args;
  if (!truthy(card_id) || !truthy(last_4_digits) || !truthy(new_pin)) {
    return missing('card_id', 'last_4_digits', 'new_pin');
  }
  if (!hasDigits(last_4_digits, 4)) return refusal('last_4_digits must be exactly 4 digits.');
  const problem = pinProblem(new_pin);
  if (problem !== undefined) return refusal(problem);
  const card = bank.find('debit_cards', card_id);
  if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
  if (!pyEquals(fieldOf(card, 'last_4_digits'), last_4_digits)) {
    return refusal('the card could not be verified: these last 4 digits are not the ones on record.');
  }
  const status = fieldOf(card, 'status');
  if (status !== 'ACTIVE') return refusal(`the PIN cannot be reset. The card is ${str(status)}, not ACTIVE.`);
  bank.update('debit_cards', card_id, { pin_last_changed: today, pin_locked: false, pin_attempts_remaining: 3n });
  return `${done('The PIN is reset and the card unlocked.', str(card_id))}\n${advice}`;
});

const change = bankTool('change_debit_card_pin_6285', ['card_id', 'current_pin', 'new_pin'], (bank, args) => {
  const { card_id, current_pin, new_pin } = args;
  if (!truthy(card_id) || !truthy(current_pin) || !truthy(new_pin)) return missing('card_id', 'current_pin', 'new_pin');
  if (!hasDigits(current_pin, 4)) return refusal('the current PIN must be exactly 4 digits.');
  const problem = pinProblem(new_pin);
  if (problem !== undefined) return refusal(problem);
  if (current_pin === new_pin) return refusal('the new PIN must differ from the current one.');
  const card = bank.find('debit_cards', card_id);
  if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
  const status = fieldOf(card, 'status');
  if (status !== 'ACTIVE') return refusal(`the PIN cannot be changed. The card is ${str(status)}, not ACTIVE.`);
  bank.update('debit_cards', card_id, { pin_last_changed: today });
  return `${done('The PIN is changed.', str(card_id))}\n${advice}`;
});

const advice = 'It works from now on, at every ATM and point of sale. Nobody else should ever learn it.';

function done(headline: string, card: string): string {
  return report(headline, [
    ['Card ID', card],
    ['PIN changed on', today],
  ]);
}

export const pins: readonly BankTool[] = [reset, change];
