import { pyEquals, truthy } from '../../python/equality.js';
import { toFloat } from '../../python/number.js';
import { str, upper } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { plainBalance } from '../accounts/balance.js';
import { fieldOf, rowsWith } from '../accounts/row.js';
import { type Bank, type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { ids } from '../ids.js';
import { attempt, dollars, isOneOf, textFor } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { newCardDigits } from './digits.js';
import { feeParts, feesOf, type OrderFees, readExcess, readFee } from './order-fees.js';

const deliveries: ReadonlyMap<string, string> = new Map([
  ['STANDARD', '7-10 business days'],
  ['EXPEDITED', '3-5 business days'],
  ['RUSH', '1-2 business days'],
]);
const designs = ['CLASSIC', 'PREMIUM', 'CUSTOM'];
const minimumBalance = 25;
/** The end of the month in which the order is made, four years on. */
const expirationDate = '11/30/2029';

const needed = [
  'account_id',
  'user_id',
  'delivery_option',
  'delivery_fee',
  'card_design',
  'design_fee',
  'shipping_address',
] as const;

/** What an account holds, as this tool reads it: with a dollar sign it cannot, and takes it for nothing. */
function holdingsOf(account: Row): number {
  return attempt(() => toFloat(str(fieldOf(account, 'current_holdings', '0')).replaceAll(',', ''))) ?? 0;
}

function accountProblem(account: Row, id: PyValue, user: PyValue): string | undefined {
  const [kind, status] = [fieldOf(account, 'class'), fieldOf(account, 'status')];
  if (kind !== 'checking') {
    return `debit cards are for checking accounts, and account '${str(id)}' is a ${str(kind)} account.`;
  }
  if (status !== 'OPEN') return `the account must be OPEN. Account '${str(id)}' has status ${str(status)}.`;
  if (!pyEquals(fieldOf(account, 'user_id'), user)) return `account '${str(id)}' is not one of user '${str(user)}'.`;
  const held = holdingsOf(account);
  if (held < minimumBalance) return `the account must hold at least $${minimumBalance}. It holds ${dollars(held)}.`;
  return undefined;
}

function orderProblem(bank: Bank, id: PyValue, held: number, fees: OrderFees): string | undefined {
  const isHere = (table: 'debit_card_orders' | 'debit_cards', status: string): boolean =>
    rowsWith(bank.records(table), 'account_id', id).some(([, row]) => fieldOf(row, 'status') === status);
  if (isHere('debit_card_orders', 'PENDING')) return `a debit card for account '${str(id)}' is ordered and PENDING.`;
  if (isHere('debit_cards', 'ACTIVE')) {
    return `account '${str(id)}' has an active debit card. A checking account can have at most 1.`;
  }
  if (fees.total > 0 && held < fees.total) {
    return `insufficient funds for the fees of ${dollars(fees.total)}. The account holds ${dollars(held)}.`;
  }
  return undefined;
}

function charge(bank: Bank, account: PyValue, orderId: string, held: number, fees: OrderFees): void {
  if (!(fees.total > 0)) return;
  bank.update('accounts', account, { current_holdings: plainBalance(held - fees.total) });
  const id = `btxn_dcfee_${orderId.slice(-8)}`;
  bank.add('bank_account_transaction_history', id, {
    transaction_id: id,
    account_id: account,
    date: today,
    description: `DEBIT CARD ORDER FEE - ${feeParts(fees, ' ')}`,
    amount: -fees.total,
    type: 'debit_card_fee',
    status: 'posted',
  });
}

/** Why the card is issued: it decides with which tool it can be activated. */
function issueReason(bank: Bank, account: PyValue): PyValue {
  const cards = rowsWith(bank.records('debit_cards'), 'account_id', account).map(([, card]) => card);
  if (cards.length === 0) return 'new_account';
  const closed = cards.find((card) => fieldOf(card, 'status') === 'CLOSED');
  const reason = closed === undefined ? null : fieldOf(closed, 'closure_reason');
  if (reason === 'fraud_suspected') return 'fraud';
  return isOneOf(reason, ['lost', 'stolen', 'fraud']) ? reason : 'first_card';
}

function holderName(bank: Bank, user: PyValue): string {
  const record = bank.find('users', user);
  return record === undefined ? 'CARDHOLDER' : upper(textFor(fieldOf(record, 'name', 'CARDHOLDER'), 'upper'));
}

function issueCard(bank: Bank, account_id: PyValue, user_id: PyValue, design: string): string {
  const card = ids.debitCard(account_id, user_id, today);
  const { last4, cvv } = newCardDigits(card);
  bank.add('debit_cards', card, {
    card_id: card,
    account_id,
    user_id,
    cardholder_name: holderName(bank, user_id),
    last_4_digits: last4,
    cvv,
    status: 'PENDING',
    issue_date: today,
    expiration_date: expirationDate,
    card_design: design,
    issue_reason: issueReason(bank, account_id),
  });
  return card;
}

const orderCard = bankTool('order_debit_card_5739', [...needed, 'excess_replacement_fee'], (bank, args) => {
  const { account_id, user_id, shipping_address } = args;
  const delivery = readFee(args.delivery_fee);
  if (delivery === undefined) return refusal('delivery_fee must be a number.');
  const designFee = readFee(args.design_fee);
  if (designFee === undefined) return refusal('design_fee must be a number.');
  const excess = readExcess(args.excess_replacement_fee);
  const isFilled = needed.every((name) => name.endsWith('_fee') || truthy(args[name]));
  if (delivery === null || designFee === null || !isFilled) return missing(...needed);
  const option = upper(textFor(args.delivery_option, 'upper'));
  const days = deliveries.get(option);
  if (days === undefined) return notAmong('delivery_option', [...deliveries.keys()]);
  const design = upper(textFor(args.card_design, 'upper'));
  if (!designs.includes(design)) return notAmong('card_design', designs);
  const account = bank.find('accounts', account_id);
  if (account === undefined) return refusal(`there is no account '${str(account_id)}'.`);
  const fees = feesOf(delivery, designFee, excess);
  const held = holdingsOf(account);
  const problem = accountProblem(account, account_id, user_id) ?? orderProblem(bank, account_id, held, fees);
  if (problem !== undefined) return refusal(problem);
  const order = ids.debitOrder(account_id, user_id, option);
  const record = {
    order_id: order,
    account_id,
    user_id,
    delivery_option: option,
    card_design: design,
    shipping_address,
    delivery_fee: delivery,
    design_fee: designFee,
    excess_replacement_fee: excess,
    total_fee: fees.total,
    order_date: today,
    expected_delivery: days,
    status: 'PENDING',
  };
  if (!bank.add('debit_card_orders', order, record)) return refusal('the order failed: it may already be there.');
  charge(bank, account_id, order, held, fees);
  const card = issueCard(bank, account_id, user_id, design);
  return report('The debit card is ordered. It comes as PENDING, and the customer calls to activate it.', [
    ['Order ID', order],
    ['Card ID', card],
    ['Account', str(account_id)],
    ['Delivery', `${option}, ${days}`],
    ['Design', design],
    ['Goes to', str(shipping_address)],
    ...(fees.total > 0
      ? [
          ['Fees', `${dollars(fees.total)} (${feeParts(fees, ': ')}), CHARGED to account ${str(account_id)}`] as const,
          ['Balance now', dollars(held - fees.total)] as const,
        ]
      : [['Fees', '$0'] as const]),
  ]);
});

export const ordering: readonly BankTool[] = [orderCard];
