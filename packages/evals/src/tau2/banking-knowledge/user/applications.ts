import { toFloat } from '../../python/number.js';
import { repr, str } from '../../python/text.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { ids } from '../ids.js';
import { attempt, isOneOf } from '../operations.js';
import { refusal, report } from '../replies.js';

const cards = [
  'Bronze Rewards Card',
  'Business Bronze Rewards Card',
  'Business Gold Rewards Card',
  'Business Platinum Rewards Card',
  'Business Silver Rewards Card',
  'Crypto-Cash Back',
  'Diamond Elite Card',
  'EcoCard',
  'Gold Rewards Card',
  'Green Rewards Card',
  'Platinum Rewards Card',
  'Silver Rewards Card',
  'Silver Zoom Card',
];

const applyForCard = bankTool(
  'apply_for_credit_card',
  ['card_type', 'customer_name', 'annual_income', 'rho_bank_subscription'],
  (bank, { card_type, customer_name, annual_income, rho_bank_subscription }) => {
    if (!isOneOf(card_type, cards)) {
      return refusal(`card_type '${str(card_type)}' does not exist. Choose one of ${repr(cards)}.`);
    }
    const income = attempt(() => toFloat(annual_income));
    if (income === undefined) return refusal('annual_income must be a number.');
    const id = ids.application(card_type, customer_name, income, rho_bank_subscription);
    const record = {
      application_id: id,
      card_type,
      customer_name,
      annual_income: income,
      rho_bank_subscription,
      status: 'PENDING',
      date: today,
    };
    if (!bank.add('credit_card_applications', id, record)) {
      return `Failed: the record ID '${id}' may already be taken.`;
    }
    return 'Your application is in. You get a decision by email within 5-7 business days.';
  },
);

const submitReferral = bankTool('submit_referral', ['user_id', 'account_type'], (bank, { user_id, account_type }) => {
  const id = ids.referral(user_id, account_type);
  const record = {
    referral_id: id,
    referrer_id: user_id,
    referred_account_type: account_type,
    referral_status: 'NO_PROGRESS',
    date: today,
  };
  if (!bank.add('referrals', id, record)) return `Failed: the record ID '${id}' may already be taken.`;
  return report('Your referral is in. The person you refer needs its ID to apply.', [
    ['Referral ID', id],
    ['Referrer ID', str(user_id)],
    ['Account type', str(account_type)],
    ['Status', 'NO_PROGRESS'],
    ['Date', today],
  ]);
});

export const applications: readonly BankTool[] = [applyForCard, submitReferral];
