import { customerOfMeter, post } from '../account.js';
import { Refused, TODAY, text, whole } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { amountOf, poundsOf } from '../money.js';
import { mandateId } from './payments.js';
import { photoId } from './readings.js';

const EMERGENCY_CREDIT = 1000;
const LOW_CREDIT = 200;
const LAST_FOUR = /^\d{4}$/;

/** What a customer can do without being given anything. */
export const customerTools: readonly DeskTool[] = [
  deskTool('read_meter_display', (desk, args) => {
    const meterId = args.text('meter_id');
    const display = desk.find('meter_displays', meterId);
    if (display === undefined) return `The display of ${meterId} is blank. It sends its readings by itself.`;
    return `The meter ${meterId} shows ${whole(display, 'register')}.`;
  }),
  deskTool('make_card_payment', (desk, args) => {
    const [customerId, amount] = [args.text('customer_id'), args.pence('amount')];
    const id = idFor('pay', customerId, amount, TODAY);
    const record = { payment_id: id, customer_id: customerId, date: TODAY, amount: poundsOf(amount) };
    desk.add('payments', id, { ...record, method: 'card', status: 'CLEARED' });
    const balance = post(desk, customerId, amount);
    return `Payment ${id} of ${shown(amount)} received. The balance is now ${shown(balance)}.`;
  }),
  deskTool('request_human_agent_transfer', (desk) => {
    const number = desk.tables.records('human_transfer_requests').size + 1;
    const id = `transfer_request_${number}`;
    desk.add('human_transfer_requests', id, { request_id: id, request_number: BigInt(number) });
    return `Request ${number} for a human colleague noted.`;
  }),
];

/** What a customer does with a tool that the agent handed over. */
export const givenTools: readonly DeskTool[] = [
  deskTool('upload_meter_photo_5590', (desk, args) => {
    const [meterId, reading] = [args.text('meter_id'), args.whole('reading')];
    const display = desk.get('meter_displays', meterId);
    if (whole(display, 'register') !== reading) {
      throw new Refused('the photograph does not show that reading.');
    }
    const id = photoId(meterId, reading);
    desk.add('meter_photos', id, { photo_id: id, meter_id: meterId, reading: BigInt(reading), date: TODAY });
    return `Photograph ${id} of ${meterId} uploaded: it shows ${reading}.`;
  }),
  deskTool('confirm_direct_debit_mandate_8211', (desk, args) => {
    const [customerId, last4] = [args.text('customer_id'), args.text('bank_last4')];
    desk.get('customers', customerId);
    if (!LAST_FOUR.test(last4)) throw new Refused('bank_last4 must be four digits.');
    const record = { customer_id: customerId, bank_last4: last4, status: 'CONFIRMED', date: TODAY };
    desk.add('direct_debit_mandates', mandateId(customerId), record);
    return `Mandate confirmed for the account ending in ${last4}.`;
  }),
  deskTool('activate_emergency_credit_1102', (desk, args) => {
    const meterId = args.text('meter_id');
    const meter = desk.get('meters', meterId);
    customerOfMeter(desk, meterId);
    if (text(meter, 'mode') !== 'prepayment') throw new Refused('the meter is not in prepayment mode.');
    if (text(meter, 'emergency_credit_in_use') === 'yes') throw new Refused('emergency credit is in use already.');
    const credit = amountOf(meter, 'credit_balance');
    if (credit >= LOW_CREDIT) throw new Refused(`emergency credit is for less than ${shown(LOW_CREDIT)} on the meter.`);
    const raised = poundsOf(credit + EMERGENCY_CREDIT);
    desk.set('meters', meterId, { emergency_credit_in_use: 'yes', credit_balance: raised });
    return `Emergency credit is on. The meter shows £${raised}.`;
  }),
];
