import { accountOf, balanceOf, customerOfMeter, priorityEntry } from '../account.js';
import { audit } from '../audit.js';
import { monthsAfter } from '../calendar.js';
import { type Desk, Refused, TODAY, text } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { amountOf, poundsOf } from '../money.js';

const NEEDS = ['hearing', 'medical_equipment', 'mobility', 'pensionable_age', 'sight', 'temporary', 'young_children'];
const REVIEW_MONTHS = 24;
const MOST_SUPPORT = 5000;
const FIRST_OF_NEXT_MONTH = `${monthsAfter(TODAY, 1).slice(0, 8)}01`;

/** Sorted, without repeats: the same needs are the same entry in whatever order they were named. */
function needsIn(list: string): string {
  const needs = [...new Set(list.split(',').map((need) => need.trim()))].sort();
  const unknown = needs.find((need) => !NEEDS.includes(need));
  if (unknown !== undefined) throw new Refused(`'${unknown}' is not a need. Known are ${NEEDS.join(', ')}.`);
  return needs.join(',');
}

function prepaymentMeter(desk: Desk, meterId: string): ReturnType<Desk['get']> {
  const meter = desk.get('meters', meterId);
  if (text(meter, 'mode') !== 'prepayment') throw new Refused(`${meterId} is not in prepayment mode.`);
  return meter;
}

export const supportTools: readonly DeskTool[] = [
  deskTool('register_priority_services_9031', (desk, args) => {
    const customerId = args.text('customer_id');
    desk.get('customers', customerId);
    const needs = needsIn(args.text('needs'));
    if (priorityEntry(desk, customerId) !== undefined) throw new Refused(`${customerId} is registered already.`);
    const id = idFor('psr', customerId, TODAY);
    desk.add('priority_services', id, {
      priority_id: id,
      customer_id: customerId,
      needs,
      doorstep_password: args.text('doorstep_password').toLowerCase(),
      registered_date: TODAY,
      review_date: monthsAfter(TODAY, REVIEW_MONTHS),
      status: 'ACTIVE',
    });
    audit(desk, 'register_priority_services_9031', customerId);
    return `${customerId} registered for priority services (${needs}) as ${id}.`;
  }),
  deskTool('create_debt_plan_5208', (desk, args) => {
    const customerId = args.text('customer_id');
    const [monthly, months] = [args.pence('monthly_amount'), args.whole('months')];
    accountOf(desk, customerId);
    const debt = -balanceOf(desk, customerId);
    if (debt <= 0) throw new Refused('the account is not in debit.');
    if (desk.where('debt_plans', { customer_id: customerId, status: 'ACTIVE' }).length > 0) {
      throw new Refused('a payment plan is active already.');
    }
    const last = debt - monthly * (months - 1);
    if (last <= 0 || last > monthly)
      throw new Refused(`${months} payments of ${shown(monthly)} do not fit ${shown(debt)}.`);
    const id = idFor('plan', customerId, TODAY);
    desk.add('debt_plans', id, {
      plan_id: id,
      customer_id: customerId,
      total: poundsOf(debt),
      monthly_amount: poundsOf(monthly),
      months: BigInt(months),
      final_instalment: poundsOf(last),
      first_payment_date: FIRST_OF_NEXT_MONTH,
      status: 'ACTIVE',
      created_date: TODAY,
      broken_date: null,
    });
    audit(desk, 'create_debt_plan_5208', customerId);
    return `Payment plan ${id}: ${shown(debt)} in ${months} months at ${shown(monthly)}, the last ${shown(last)}.`;
  }),
  deskTool('set_prepayment_recovery_5213', (desk, args) => {
    const [meterId, weekly] = [args.text('meter_id'), args.pence('weekly_amount')];
    prepaymentMeter(desk, meterId);
    const customerId = customerOfMeter(desk, meterId);
    desk.set('meters', meterId, { weekly_recovery: poundsOf(weekly) });
    audit(desk, 'set_prepayment_recovery_5213', customerId);
    return `${meterId} now collects ${shown(weekly)} a week.`;
  }),
  deskTool('add_prepayment_support_credit_1177', (desk, args) => {
    const [meterId, amount] = [args.text('meter_id'), args.pence('amount')];
    const meter = prepaymentMeter(desk, meterId);
    if (amount > MOST_SUPPORT) throw new Refused(`support credit is at most ${shown(MOST_SUPPORT)}.`);
    const customerId = customerOfMeter(desk, meterId);
    const id = idFor('sup', meterId, TODAY);
    const record = {
      support_id: id,
      customer_id: customerId,
      meter_id: meterId,
      amount: poundsOf(amount),
      date: TODAY,
    };
    desk.add('prepayment_support', id, record);
    const credit = amountOf(meter, 'credit_balance') + amount;
    desk.set('meters', meterId, { credit_balance: poundsOf(credit) });
    audit(desk, 'add_prepayment_support_credit_1177', customerId);
    return `${shown(amount)} added to ${meterId}, which now shows ${shown(credit)}.`;
  }),
  deskTool('change_meter_mode_3725', (desk, args) => {
    const meterId = args.text('meter_id');
    const meter = desk.get('meters', meterId);
    const mode = args.choice('mode', ['credit', 'prepayment']);
    if (text(meter, 'meter_type') !== 'smart') throw new Refused('only a smart meter can be switched.');
    if (text(meter, 'mode') === mode) throw new Refused(`the meter is in ${mode} mode already.`);
    const customerId = customerOfMeter(desk, meterId);
    desk.set('meters', meterId, { mode });
    audit(desk, 'change_meter_mode_3725', customerId);
    return `${meterId} is now in ${mode} mode.`;
  }),
];
