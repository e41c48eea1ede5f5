import { accountOf, activeDirectDebit, balanceOf, post } from '../account.js';
import { audit } from '../audit.js';
import { dayOfMonth } from '../calendar.js';
import { type Desk, Refused, TODAY, text } from '../desk.js';
import { type Arguments, type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { poundsOf } from '../money.js';

interface Terms {
  readonly monthly_amount: string;
  readonly collection_day: bigint;
  readonly next_collection_date: string;
}

function terms(args: Arguments): Terms {
  const day = args.whole('collection_day');
  const first = args.date('first_collection_date');
  if (day < 1 || day > 28) throw new Refused('collection_day must be from 1 to 28.');
  if (first <= TODAY) throw new Refused('first_collection_date must lie in the future.');
  if (dayOfMonth(first) !== day) throw new Refused('first_collection_date must fall on the collection day.');
  return {
    monthly_amount: poundsOf(args.pence('monthly_amount')),
    collection_day: BigInt(day),
    next_collection_date: first,
  };
}

function directDebit(desk: Desk, customerId: string): string {
  const found = activeDirectDebit(desk, customerId);
  if (found === undefined) throw new Refused(`${customerId} has no active Direct Debit.`);
  return found[0];
}

export function mandateId(customerId: string): string {
  return idFor('man', customerId);
}

export const paymentTools: readonly DeskTool[] = [
  deskTool('set_up_direct_debit_8205', (desk, args) => {
    const customerId = args.text('customer_id');
    const [accountId] = accountOf(desk, customerId);
    const mandate = desk.find('direct_debit_mandates', mandateId(customerId));
    if (mandate === undefined) throw new Refused(`${customerId} has not confirmed a mandate.`);
    if (activeDirectDebit(desk, customerId) !== undefined)
      throw new Refused(`${customerId} has an active Direct Debit.`);
    const agreed = terms(args);
    const id = idFor('dd', customerId, agreed.next_collection_date);
    const last4 = text(mandate, 'bank_last4');
    desk.add('direct_debits', id, {
      direct_debit_id: id,
      customer_id: customerId,
      status: 'ACTIVE',
      bank_last4: last4,
      ...agreed,
    });
    desk.set('accounts', accountId, { payment_method: 'direct_debit' });
    audit(desk, 'set_up_direct_debit_8205', customerId);
    return `Direct Debit ${id} set up: £${agreed.monthly_amount} on day ${agreed.collection_day}, first on ${agreed.next_collection_date}.`;
  }),
  deskTool('change_direct_debit_7742', (desk, args) => {
    const customerId = args.text('customer_id');
    const id = directDebit(desk, customerId);
    const agreed = terms(args);
    desk.set('direct_debits', id, { ...agreed });
    audit(desk, 'change_direct_debit_7742', customerId);
    return `${id} is now £${agreed.monthly_amount} on day ${agreed.collection_day}, from ${agreed.next_collection_date}.`;
  }),
  deskTool('cancel_direct_debit_7749', (desk, args) => {
    const customerId = args.text('customer_id');
    const id = directDebit(desk, customerId);
    const reason = args.choice('reason', ['customer_request', 'bank_change']);
    const [accountId] = accountOf(desk, customerId);
    desk.set('direct_debits', id, { status: 'CANCELLED', reason, cancelled_date: TODAY });
    desk.set('accounts', accountId, { payment_method: 'on_bill' });
    audit(desk, 'cancel_direct_debit_7749', customerId);
    return `${id} is cancelled (${reason}).`;
  }),
  deskTool('issue_refund_3096', (desk, args) => {
    const [customerId, amount] = [args.text('customer_id'), args.pence('amount')];
    const destination = args.choice('destination', ['direct_debit_account', 'cheque']);
    if (amount > balanceOf(desk, customerId)) throw new Refused('the refund is more than the credit on the account.');
    if (destination === 'direct_debit_account') directDebit(desk, customerId);
    const monthly = activeDirectDebit(desk, customerId)?.[1].get('monthly_amount') ?? null;
    const id = idFor('rfd', customerId, amount, TODAY);
    const balance = balanceOf(desk, customerId) - amount;
    const record = { refund_id: id, customer_id: customerId, date: TODAY, amount: poundsOf(amount), destination };
    desk.add('refunds', id, { ...record, balance_after: poundsOf(balance), monthly_payment: monthly });
    post(desk, customerId, -amount);
    audit(desk, 'issue_refund_3096', customerId);
    return `Refund ${id} of ${shown(amount)} to ${destination}. The balance is now ${shown(balance)}.`;
  }),
];
