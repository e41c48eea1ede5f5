import { pyEquals, truthy } from '../../python/equality.js';
import { toFloat } from '../../python/number.js';
import { str } from '../../python/text.js';
import type { BankTool } from '../bank-tool.js';
import { bankTool } from '../bank-tool.js';
import { attempt, dollars } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { balanceOf, isUsable } from './balance.js';

const parameters = ['source_account_id', 'destination_account_id', 'amount'] as const;

const transferFunds = bankTool('transfer_funds_between_bank_accounts_7291', parameters, (bank, args) => {
  const { source_account_id: from, destination_account_id: to } = args;
  if (!truthy(from) || !truthy(to) || args.amount === null) return missing(...parameters);
  const amount = attempt(() => toFloat(args.amount));
  if (amount === undefined) return refusal(`amount must be a number, which '${str(args.amount)}' is not.`);
  if (amount <= 0) return refusal('amount must be positive.');
  if (pyEquals(from, to)) return refusal('source and destination are the same account.');
  const source = bank.find('accounts', from);
  if (source === undefined) return refusal(`there is no source account '${str(from)}'.`);
  const destination = bank.find('accounts', to);
  if (destination === undefined) return refusal(`there is no destination account '${str(to)}'.`);
  if (!isUsable(source)) return refusal(`source account '${str(from)}' is not active.`);
  if (!isUsable(destination)) return refusal(`destination account '${str(to)}' is not active.`);
  const held = balanceOf(source);
  if (held < amount) {
    return refusal(
      `insufficient funds. The source account holds ${dollars(held)}, the transfer is ${dollars(amount)}.`,
    );
  }
  // Both are read before either is written: a destination that cannot be read leaves the source as it was.
  const [left, arrived] = [dollars(held - amount), dollars(balanceOf(destination) + amount)];
  bank.update('accounts', from, { current_holdings: left });
  bank.update('accounts', to, { current_holdings: arrived });
  return report('The money is transferred.', [
    ['Amount', dollars(amount)],
    ['From', `${str(from)}, which now holds ${left}`],
    ['To', `${str(to)}, which now holds ${arrived}`],
  ]);
});

export const transfer: readonly BankTool[] = [transferFunds];
