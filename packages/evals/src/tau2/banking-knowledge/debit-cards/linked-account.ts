import { truthy } from '../../python/equality.js';
import { fieldOf } from '../accounts/row.js';
import type { Bank, Row } from '../bank.js';

/** The account that a card belongs to; undefined where its record names none that exists. */
export function linkedAccount(bank: Bank, card: Row): Row | undefined {
  const id = fieldOf(card, 'account_id');
  return truthy(id) ? bank.find('accounts', id) : undefined;
}

/** Whether the card's account stands in its way. A card without an account is in nobody's way, as in the reference. */
export function isAccountShut(bank: Bank, card: Row): boolean {
  const account = linkedAccount(bank, card);
  return account !== undefined && fieldOf(account, 'status') !== 'OPEN';
}
