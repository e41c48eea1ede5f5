import type { Row } from '../../../world/database.js';
import { post } from '../account.js';
import { audit } from '../audit.js';
import { daysBetween, monthsAfter } from '../calendar.js';
import { type Desk, Refused, TODAY, text, whole } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { amountOf, chargeFor, poundsOf, priceOf } from '../money.js';

const DUE_DAYS_AFTER = 21;

/** The use between opening and true reading is shared evenly over the days. */
function trueUnits(bill: Row, reading: Row): number {
  const used = whole(reading, 'value') - whole(bill, 'opening_reading');
  if (used < 0) throw new Refused('the reading is lower than the opening reading of the bill.');
  const days = daysBetween(text(bill, 'period_start'), text(reading, 'date'));
  return Math.floor((used * whole(bill, 'days')) / days);
}

function checkRebill(bill: Row, reading: Row): void {
  if (text(bill, 'basis') !== 'estimated') throw new Refused('only an estimated bill can be rebilled.');
  if (text(bill, 'status') === 'WITHDRAWN') throw new Refused('the bill has been withdrawn already.');
  if (monthsAfter(text(bill, 'issued_date'), 12) < TODAY) throw new Refused('the bill is older than twelve months.');
  if (text(reading, 'kind') !== 'actual') throw new Refused('the reading is an estimate.');
  if (text(reading, 'meter_id') !== text(bill, 'meter_id')) throw new Refused('the reading is of another meter.');
  if (text(reading, 'date') < text(bill, 'period_end'))
    throw new Refused('the reading is older than the end of the bill.');
}

function rebill(desk: Desk, billId: string, readingId: string): string {
  const [bill, reading] = [desk.get('bills', billId), desk.get('meter_readings', readingId)];
  checkRebill(bill, reading);
  const units = trueUnits(bill, reading);
  const use = { units, unitPrice: priceOf(bill, 'unit_rate_pence') };
  const amount = chargeFor({ ...use, days: whole(bill, 'days'), dayPrice: priceOf(bill, 'standing_charge_pence') });
  const id = idFor('bill', billId, readingId);
  desk.set('bills', billId, { status: 'WITHDRAWN' });
  desk.add('bills', id, {
    ...Object.fromEntries(bill),
    bill_id: id,
    closing_reading: BigInt(whole(bill, 'opening_reading') + units),
    amount: poundsOf(amount),
    basis: 'actual',
    issued_date: TODAY,
    due_date: dueDate(),
    replaces: billId,
  });
  const balance = post(desk, text(bill, 'customer_id'), amountOf(bill, 'amount') - amount);
  return `${billId} withdrawn. New bill ${id}: ${units} units, ${shown(amount)}. The balance is now ${shown(balance)}.`;
}

function dueDate(): string {
  const [year = 0, month = 0, day = 0] = TODAY.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day + DUE_DAYS_AFTER)).toISOString().slice(0, 10);
}

export const billingTools: readonly DeskTool[] = [
  deskTool('rebill_period_3384', (desk, args) => {
    const billId = args.text('bill_id');
    const customerId = text(desk.get('bills', billId), 'customer_id');
    const result = rebill(desk, billId, args.text('reading_id'));
    audit(desk, 'rebill_period_3384', customerId);
    return result;
  }),
  deskTool('apply_back_billing_limit_4156', (desk, args) => {
    const billId = args.text('bill_id');
    const bill = desk.get('bills', billId);
    const over = amountOf(bill, 'amount_over_12_months');
    if (over <= 0) throw new Refused('the bill has no charges from more than twelve months before it.');
    const amount = amountOf(bill, 'amount') - over;
    desk.set('bills', billId, {
      amount: poundsOf(amount),
      amount_over_12_months: '0.00',
      back_billing: poundsOf(over),
    });
    const customerId = text(bill, 'customer_id');
    const balance = post(desk, customerId, over);
    audit(desk, 'apply_back_billing_limit_4156', customerId);
    return `${shown(over)} removed from ${billId}, which is now ${shown(amount)}. The balance is now ${shown(balance)}.`;
  }),
];
