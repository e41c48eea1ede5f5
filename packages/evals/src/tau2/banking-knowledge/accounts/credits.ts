import { truthy } from '../../python/equality.js';
import { toFloat } from '../../python/number.js';
import { lower, str } from '../../python/text.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { idOf, seed } from '../ids.js';
import { attempt, dollars, textFor } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { balanceOf, isUsable, plainBalance } from './balance.js';
import { fieldOf } from './row.js';

/** A tool that credits accounts of one class. */
interface CreditRule {
  readonly tool: string;
  readonly seed: string;
  readonly noun: string;
  readonly classes: readonly string[];
  /** What the transaction is called, by type of credit. */
  readonly descriptions: ReadonlyMap<string, string>;
  readonly written: (balance: number) => string;
}

const rules: readonly CreditRule[] = [
  {
    tool: 'apply_checking_account_credit_5829',
    seed: 'checking_credit',
    noun: 'checking',
    classes: ['checking'],
    descriptions: new Map([
      ['rebate_credit', 'REBATE CREDIT - CUSTOMER SERVICE'],
      ['fee_refund', 'FEE REFUND - CUSTOMER SERVICE'],
    ]),
    written: dollars,
  },
  {
    tool: 'apply_savings_account_credit_6831',
    seed: 'savings_credit',
    noun: 'savings',
    classes: ['saving', 'savings'],
    descriptions: new Map([
      ['interest_correction', 'INTEREST CORRECTION - CUSTOMER SERVICE'],
      ['fee_refund', 'FEE REFUND - CUSTOMER SERVICE'],
      ['goodwill_credit', 'GOODWILL CREDIT - CUSTOMER SERVICE'],
    ]),
    written: plainBalance,
  },
];

function creditTool(rule: CreditRule): BankTool {
  return bankTool(rule.tool, ['account_id', 'amount', 'credit_type'], (bank, args) => {
    const { account_id, credit_type } = args;
    if (!truthy(account_id) || args.amount === null || !truthy(credit_type)) {
      return missing('account_id', 'amount', 'credit_type');
    }
    const amount = attempt(() => toFloat(args.amount));
    if (amount === undefined) return refusal('amount must be a number.');
    if (amount <= 0) return refusal('amount must be positive.');
    const description = typeof credit_type === 'string' ? rule.descriptions.get(credit_type) : undefined;
    if (description === undefined) return notAmong('credit_type', [...rule.descriptions.keys()]);
    const account = bank.find('accounts', account_id);
    if (account === undefined) return refusal(`there is no account '${str(account_id)}'.`);
    if (!rule.classes.includes(lower(textFor(fieldOf(account, 'class', ''), 'lower')))) {
      return refusal(`account '${str(account_id)}' is not a ${rule.noun} account, and this credits no other.`);
    }
    if (!isUsable(account)) return refusal(`account '${str(account_id)}' is not active.`);
    const before = balanceOf(account);
    bank.update('accounts', account_id, { current_holdings: rule.written(before + amount) });
    const id = `txn_${idOf(seed(rule.seed, account_id, credit_type, amount, today), 16)}`;
    // An equal credit replaces the record of the first, although the balance rises by each.
    bank.put('bank_account_transaction_history', id, {
      transaction_id: id,
      account_id,
      date: today,
      description,
      amount,
      type: credit_type,
      status: 'posted',
    });
    return report(`The credit is on the ${rule.noun} account.`, [
      ['Transaction ID', id],
      ['Account', str(account_id)],
      ['Credit type', str(credit_type)],
      ['Amount', dollars(amount)],
      ['Balance before', dollars(before)],
      ['Balance now', dollars(before + amount)],
    ]);
  });
}

export const credits: readonly BankTool[] = rules.map(creditTool);
