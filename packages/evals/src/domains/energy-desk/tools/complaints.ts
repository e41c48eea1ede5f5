import { post } from '../account.js';
import { audit } from '../audit.js';
import { type Desk, Refused, type TableName, TODAY, text } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { amountOf, poundsOf } from '../money.js';

/** Where the thing is recorded that a credit is given for. */
const GROUNDS = {
  goodwill: 'complaints',
  outage: 'outages',
  missed_appointment: 'appointments',
  late_standard: 'appointments',
} as const satisfies Record<string, TableName>;

function credited(desk: Desk, reference: string): number {
  return desk.where('account_credits', { reference }).reduce((sum, [, credit]) => sum + amountOf(credit, 'amount'), 0);
}

export const complaintTools: readonly DeskTool[] = [
  deskTool('open_complaint_6650', (desk, args) => {
    const customerId = args.text('customer_id');
    desk.get('customers', customerId);
    const category = args.choice('category', ['billing', 'metering', 'service', 'tariff', 'prepayment', 'appointment']);
    const open = desk.where('complaints', { customer_id: customerId, category, status: 'OPEN' });
    if (open.length > 0) throw new Refused(`a complaint about ${category} is open already: ${open[0]?.[0]}.`);
    const id = idFor('cmp', customerId, category, TODAY);
    const record = { complaint_id: id, customer_id: customerId, category, opened_date: TODAY, status: 'OPEN' };
    desk.add('complaints', id, { ...record, outcome: null, redress: '0.00' });
    audit(desk, 'open_complaint_6650', customerId);
    return `Complaint ${id} opened (${category}).`;
  }),
  deskTool('resolve_complaint_6654', (desk, args) => {
    const id = args.text('complaint_id');
    const complaint = desk.get('complaints', id);
    const outcome = args.choice('outcome', ['upheld', 'partly_upheld', 'not_upheld', 'withdrawn']);
    if (text(complaint, 'status') !== 'OPEN') throw new Refused('the complaint is not open.');
    const redress = credited(desk, id);
    desk.set('complaints', id, { status: 'RESOLVED', outcome, redress: poundsOf(redress) });
    audit(desk, 'resolve_complaint_6654', text(complaint, 'customer_id'));
    return `Complaint ${id} resolved: ${outcome}, redress ${shown(redress)}.`;
  }),
  deskTool('apply_account_credit_4873', (desk, args) => {
    const [customerId, amount] = [args.text('customer_id'), args.pence('amount')];
    const reason = args.choice('reason', ['goodwill', 'outage', 'missed_appointment', 'late_standard']);
    const reference = args.text('reference');
    const ground = desk.get(GROUNDS[reason], reference);
    if (reason !== 'outage' && text(ground, 'customer_id') !== customerId) {
      throw new Refused(`'${reference}' belongs to another customer.`);
    }
    const id = idFor('crd', customerId, reason, reference);
    const record = { credit_id: id, customer_id: customerId, amount: poundsOf(amount), reason, reference, date: TODAY };
    desk.add('account_credits', id, record);
    const balance = post(desk, customerId, amount);
    audit(desk, 'apply_account_credit_4873', customerId);
    return `Credit ${id} of ${shown(amount)} applied (${reason}). The balance is now ${shown(balance)}.`;
  }),
];
