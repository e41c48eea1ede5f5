import { truthy } from '../../python/equality.js';
import { toFloat } from '../../python/number.js';
import { str } from '../../python/text.js';
import { balanceOf, isUsable } from '../accounts/balance.js';
import { type Bank, today } from '../bank.js';
import type { BankTool } from '../bank-tool.js';
import { isFound, recordsWhere } from '../base/lookups.js';
import { hashOf, ids, seed } from '../ids.js';
import { attempt, dollars } from '../operations.js';
import { argumentsShown, refusal, report } from '../replies.js';
import { givenTool } from './given-tool.js';

/** A setting of the task: disputes are then decided at once, in favour of the user. */
function areDisputesResolved(bank: Bank): boolean {
  const settings = bank.find('task_config', 'dispute_settings');
  return truthy(settings?.get('auto_resolve_disputes') ?? false);
}

const disputeCashBack = givenTool(
  'submit_cash_back_dispute_0589',
  ['user_id', 'transaction_id'],
  (bank, { user_id, transaction_id }) => {
    const id = ids.dispute(user_id, transaction_id);
    const filed = { dispute_id: id, user_id, transaction_id, submitted_at: today };
    const isResolved = areDisputesResolved(bank);
    const record = isResolved
      ? { ...filed, status: 'RESOLVED', resolution: 'APPROVED' }
      : { ...filed, status: 'SUBMITTED' };
    const isNew = bank.add('cash_back_disputes', id, record);
    const shown = argumentsShown('submit_cash_back_dispute_0589', { user_id, transaction_id });
    if (!isNew) return `${shown}\nThis transaction may already be disputed.`;
    const next = isResolved ? 'RESOLVED: reviewed and approved, the rewards are yet to be corrected' : 'SUBMITTED';
    return `${shown}\nYour dispute is queued for review.\nDispute ID: ${id}\nStatus: ${next}`;
  },
);

const referralLink = givenTool('get_referral_link', ['user_id', 'card_name'], (bank, { user_id, card_name }) => {
  const id = ids.referralLink(user_id, card_name);
  const record = {
    referral_id: id,
    referrer_id: user_id,
    referred_account_type: card_name,
    referral_status: 'NO_PROGRESS',
    date: today,
  };
  const isNew = bank.add('referrals', id, record);
  const shown = argumentsShown('get_referral_link', { user_id, card_name });
  if (!isNew) return `${shown}\nThere may already be a link for this card.`;
  return `${shown}\nPass this link on.\nReferral ID: ${id}\nLink: https://rhobank.com/refer/${id}`;
});

const lastDigits = givenTool(
  'get_card_last_4_digits',
  ['credit_card_account_id'],
  (bank, { credit_card_account_id }) => {
    if (!isFound(recordsWhere(bank, 'credit_card_accounts', 'account_id', credit_card_account_id))) {
      return refusal(`there is no credit card account '${str(credit_card_account_id)}'.`);
    }
    const digits = hashOf(seed('card_last4', credit_card_account_id)).replace(/[a-f]/g, '');
    const shown = argumentsShown('get_card_last_4_digits', { credit_card_account_id });
    return `${shown}\nThe last 4 digits of the card: ${digits.slice(0, 4).padEnd(4, '0')}.`;
  },
);

const depositCheck = givenTool(
  'deposit_check_3847',
  ['account_id', 'check_amount'],
  (bank, { account_id, check_amount }) => {
    const amount = attempt(() => toFloat(check_amount));
    if (amount === undefined) return refusal(`check_amount '${str(check_amount)}' is not a number.`);
    if (amount <= 0) return refusal('the amount of a check must be above zero.');
    const account = bank.find('accounts', account_id);
    if (account === undefined) return refusal(`there is no account '${str(account_id)}'.`);
    if (!isUsable(account)) return refusal(`account '${str(account_id)}' is not active.`);
    const before = balanceOf(account);
    bank.update('accounts', account_id, { current_holdings: dollars(before + amount) });
    const shown = argumentsShown('deposit_check_3847', { account_id, check_amount });
    return report(`${shown}\nThe check is deposited; your account's policy says when you can use the money.`, [
      ['Account', str(account_id)],
      ['Check', dollars(amount)],
      ['Balance before', dollars(before)],
      ['Balance now', dollars(before + amount)],
    ]);
  },
);

/** What the agent can give to a user. */
export const givenTools: readonly BankTool[] = [disputeCashBack, referralLink, lastDigits, depositCheck];
