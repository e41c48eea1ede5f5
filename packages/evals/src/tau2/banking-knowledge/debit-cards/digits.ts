import { isDigit, lengthOf } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { idOf } from '../ids.js';
import { textFor } from '../operations.js';

/** Whether a value is text of so many digits. Digits of every script count; a number is no text and raises. */
export function hasDigits(value: PyValue, count: number): boolean {
  const text = textFor(value, 'isdigit');
  return isDigit(text) && lengthOf(text) === count;
}

const rising = '0123456789';
const falling = '9876543210';

/** What is wrong with a PIN that a customer chose; undefined where it may be used. */
export function pinProblem(pin: PyValue): string | undefined {
  if (!hasDigits(pin, 4)) return 'a PIN has exactly 4 digits.';
  const text = String(pin);
  if (rising.includes(text) || falling.includes(text)) {
    return 'a PIN must not be sequential, as 1234 is. The customer has to choose a safer one.';
  }
  if (new Set(text).size === 1) {
    return 'a PIN must not repeat the same digit, as 1111 does. The customer has to choose a safer one.';
  }
  return undefined;
}

/** The last four digits and the CVV of a new card, both made from its id. */
export function newCardDigits(cardId: string): { readonly last4: string; readonly cvv: string } {
  const digits = (what: string, from: 6 | 8, count: number): string =>
    idOf(`card_details:${cardId}:${what}`, from)
      .replace(/[^0-9]/g, '')
      .slice(0, count)
      .padStart(count, '0');
  return { last4: digits('last4', 8, 4), cvv: digits('cvv', 6, 3) };
}
