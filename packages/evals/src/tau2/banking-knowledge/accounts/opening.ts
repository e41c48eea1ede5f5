import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { ids } from '../ids.js';
import { isOneOf } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { daysSince } from './age.js';
import { balanceOf } from './balance.js';
import { fieldOf, rowsWith } from './row.js';

const personalChecking = ['checking', 'personal_checking'];
const accountTypes = ['checking', 'savings', 'business_checking', 'business_savings'];

/** Which accounts a customer must have, or must not have, before one of a type is opened. */
const requirements: Readonly<Record<string, (owned: readonly Row[]) => boolean>> = {
  savings: (owned) => owned.some((account) => isOpen(account, personalChecking) && ageOf(account) >= 14),
  business_checking: (owned) =>
    !owned.some((account) => fieldOf(account, 'status') === 'CLOSED') &&
    owned.some((account) => isOpen(account, personalChecking)),
  business_savings: (owned) =>
    !owned.some((account) => balanceOf(account) < 0) &&
    owned.some((account) => isOpen(account, ['business_checking']) && ageOf(account) >= 30),
};

/** Accounts that came with the data say what they are in `class`, those opened here in `account_type`. */
function isOpen(account: Row, kinds: readonly string[]): boolean {
  const kind = fieldOf(account, 'account_type', fieldOf(account, 'class', ''));
  return isOneOf(kind, kinds) && isOneOf(fieldOf(account, 'status'), ['OPEN', 'ACTIVE']);
}

/** A date that cannot be read counts as today. */
function ageOf(account: Row): number {
  return daysSince(fieldOf(account, 'date_opened', '')) ?? 0;
}

const open = bankTool('open_bank_account_4821', ['user_id', 'account_type', 'account_class'], (bank, args) => {
  const { user_id, account_type, account_class } = args;
  if (!truthy(user_id) || !truthy(account_type) || !truthy(account_class)) {
    return missing('user_id', 'account_type', 'account_class');
  }
  if (!isOneOf(account_type, accountTypes)) return notAmong('account_type', accountTypes);
  const owned = rowsWith(bank.records('accounts'), 'user_id', user_id).map(([, account]) => account);
  const isEligible = requirements[str(account_type)]?.(owned) ?? true;
  if (!isEligible) return refusal('the customer does not meet the eligibility requirements of this account.');
  const id = ids.bankAccount(user_id, account_type, account_class);
  const record = {
    account_id: id,
    user_id,
    account_type,
    account_class,
    current_holdings: '0.00',
    status: 'OPEN',
    date_opened: today,
  };
  if (!bank.add('accounts', id, record)) return `Failed to open it: there may already be an account with ID '${id}'.`;
  return report('The new bank account is there.', [
    ['Account ID', id],
    ['User ID', str(user_id)],
    ['Type', str(account_type)],
    ['Class', str(account_class)],
    ['Status', 'OPEN'],
    ['Balance', '$0.00'],
    ['Opened', today],
  ]);
});

export const opening: readonly BankTool[] = [open];
