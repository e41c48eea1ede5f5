import { multiply, subtract } from '../../python/arithmetic.js';
import { isOrdered, truthy } from '../../python/equality.js';
import { toFloat, toInt } from '../../python/number.js';
import { lower, str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { daysSince } from '../accounts/age.js';
import { fieldOf } from '../accounts/row.js';
import { type Bank, type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { attempt, textFor } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { linkedAccount } from './linked-account.js';

const minimumAgeDays = 60;

/** What may be drawn at ATMs in a day where the card itself does not say, by level of its account. */
const atmLimits: ReadonlyMap<string, bigint> = new Map([
  ['blue account', 500n],
  ['green account', 600n],
  ['light blue account', 400n],
  ['green fee-free account', 500n],
  ['evergreen account', 750n],
  ['bluest account', 1500n],
  ['dark green account', 300n],
  ['gold years account', 600n],
  ['purple account', 1000n],
]);

const kinds = {
  atm: { field: 'daily_atm_limit', noun: 'daily ATM withdrawal limit' },
  purchase: { field: 'daily_purchase_limit', noun: 'daily purchase limit' },
} as const;

/** A limit to start from, or why there is none. */
type Current = { readonly limit: PyValue } | { readonly because: string };

function currentLimit(card: Row, account: Row, type: keyof typeof kinds): Current {
  const { field, noun } = kinds[type];
  const own = fieldOf(card, field);
  if (own !== null) return { limit: own };
  if (type === 'atm') return levelLimit(account);
  return {
    because: `the card has no ${noun}. On some restricted accounts a policy sets it, and nobody can change it.`,
  };
}

function levelLimit(account: Row): Current {
  const level = lower(textFor(fieldOf(account, 'level', ''), 'lower'));
  if (level.includes('light green')) {
    return {
      because:
        'cards of a Light Green Account (teen checking) have limits that the account policy fixes for safety: ' +
        '$150 a day at any ATM. A parent or guardian can withdraw cash from an account of their own.',
    };
  }
  const limit = atmLimits.get(level);
  if (limit !== undefined) return { limit };
  return { because: `no ATM limit is known for account type '${str(fieldOf(account, 'level'))}'. Check the type.` };
}

/** A whole number of dollars, or why it is none. A number with a fraction is refused, not cut. */
function wholeLimit(value: PyValue): { readonly limit: bigint } | { readonly because: string } {
  const number = attempt(() => toFloat(value));
  if (number === undefined) return { because: `new_limit must be a whole number, not '${str(value)}'.` };
  if (!Number.isInteger(number)) return { because: `new_limit must be a whole number, not '${str(number)}'.` };
  const limit = toInt(number);
  return limit > 0n ? { limit } : { because: 'new_limit must be positive.' };
}

/** The account of a card that may have its limit raised, or why it may not. */
function accountFor(bank: Bank, id: PyValue, card: Row): { readonly account: Row } | { readonly because: string } {
  const status = fieldOf(card, 'status');
  if (status !== 'ACTIVE') {
    return {
      because: `debit card '${str(id)}' is not active but ${str(status)}. Only limits of ACTIVE cards are raised.`,
    };
  }
  const account = linkedAccount(bank, card);
  if (account === undefined) return { because: `no account belongs to debit card '${str(id)}'.` };
  const standing = fieldOf(account, 'status');
  if (standing !== 'OPEN') {
    const name = str(fieldOf(card, 'account_id'));
    return { because: `account '${name}', which the card belongs to, is not in good standing but ${str(standing)}.` };
  }
  const opened = fieldOf(account, 'date_opened');
  const age = truthy(opened) ? daysSince(opened) : undefined;
  if (age === undefined || age >= minimumAgeDays) return { account };
  return { because: `the account must be at least ${minimumAgeDays} days old. It is ${age} days old.` };
}

const raise = bankTool(
  'request_temporary_debit_card_limit_increase_8374',
  ['card_id', 'limit_type', 'new_limit'],
  (bank, { card_id, limit_type: type, new_limit }) => {
    if (!truthy(card_id)) return missing('card_id');
    if (!truthy(type)) return missing('limit_type');
    if (type !== 'atm' && type !== 'purchase') {
      return refusal(`limit_type '${str(type)}' is not valid. Choose 'atm' or 'purchase'.`);
    }
    if (new_limit === null) return missing('new_limit');
    const wanted = wholeLimit(new_limit);
    if ('because' in wanted) return refusal(wanted.because);
    const card = bank.find('debit_cards', card_id);
    if (card === undefined) return refusal(`there is no debit card '${str(card_id)}'.`);
    const found = accountFor(bank, card_id, card);
    if ('because' in found) return refusal(found.because);
    const current = currentLimit(card, found.account, type);
    if ('because' in current) return refusal(current.because);
    const problem = raiseProblem(wanted.limit, current.limit);
    if (problem !== undefined) return refusal(problem);
    bank.update('debit_cards', card_id, {
      [kinds[type].field]: wanted.limit,
      [`temporary_${type}_limit_increase`]: true,
      [`original_${type}_limit`]: current.limit,
      [`temporary_${type}_limit_expires`]: today,
    });
    return granted(kinds[type].noun, str(card_id), wanted.limit, current.limit);
  },
);

function raiseProblem(wanted: bigint, current: PyValue): string | undefined {
  const most = toInt(multiply(current, 1.5));
  if (wanted > most) {
    return `$${wanted} is more than a temporary increase allows: at most $${most}, 150% of the present $${str(current)}.`;
  }
  if (isOrdered(wanted, '<=', current)) return `$${wanted} is not higher than the present limit of $${str(current)}.`;
  return undefined;
}

function granted(noun: string, card: string, wanted: bigint, before: PyValue): string {
  return [
    report(`The ${noun} is raised for a while.`, [
      ['Card ID', card],
      ['Limit before', `$${str(before)}`],
      ['Limit now', `$${wanted}`],
      ['Raised by', `$${str(subtract(wanted, before))}`],
    ]),
    `It ends in 24 hours: then the limit is $${str(before)} again. Each 24-hour period allows one increase.`,
    'An ATM of another bank may have limits of its own, by transaction or day, that Rho-Bank cannot lift: there the',
    'customer makes several smaller withdrawals, or goes to a Rho-Bank ATM.',
  ].join('\n');
}

export const limits: readonly BankTool[] = [raise];
