import { activeContract, priorityEntry, supplyPoint } from '../account.js';
import { audit } from '../audit.js';
import { daysBetween, isBankHoliday, weekday } from '../calendar.js';
import { type Desk, Refused, TODAY, text } from '../desk.js';
import { type Arguments, type DeskTool, deskTool } from '../desk-tool.js';
import { idFor } from '../ids.js';

const FARTHEST_DAYS = 60;
const SUNDAY = 0;
const SATURDAY = 6;

/** A time at which engineers work. How much notice a visit needs is for the desk to know. */
function visitTime(args: Arguments): { readonly date: string; readonly slot: string } {
  const [date, slot] = [args.date('date'), args.choice('slot', ['AM', 'PM'])];
  const ahead = daysBetween(TODAY, date);
  if (ahead <= 0 || ahead > FARTHEST_DAYS)
    throw new Refused(`the date must lie within the next ${FARTHEST_DAYS} days.`);
  if (weekday(date) === SUNDAY || isBankHoliday(date)) throw new Refused('there are no visits on that day.');
  if (weekday(date) === SATURDAY && slot === 'PM')
    throw new Refused('on Saturdays there are visits in the morning only.');
  return { date, slot };
}

/** Looks at the priority register at this moment: an entry made later does not mark the visit. */
function book(
  desk: Desk,
  supplyPointId: string,
  visit: { type: string; reason: string | null; date: string; slot: string },
): string {
  const customerId = text(activeContract(desk, supplyPointId)[1], 'customer_id');
  const id = idFor('apt', supplyPointId, visit.type, visit.date, visit.slot);
  desk.add('appointments', id, {
    appointment_id: id,
    customer_id: customerId,
    supply_point_id: supplyPointId,
    visit_type: visit.type,
    date: visit.date,
    slot: visit.slot,
    status: 'BOOKED',
    priority: priorityEntry(desk, customerId) === undefined ? 'no' : 'yes',
    reason: visit.reason,
  });
  return id;
}

const EXCHANGE_REASONS = ['faulty_meter', 'certification_expired', 'tariff_requirement', 'customer_request'] as const;

export const visitTools: readonly DeskTool[] = [
  deskTool('book_engineer_visit_2817', (desk, args) => {
    const supplyPointId = args.text('supply_point_id');
    const types = ['meter_inspection', 'meter_accuracy_test', 'gas_meter_check', 'prepay_fault'] as const;
    const visit = { type: args.choice('visit_type', types), reason: null, ...visitTime(args) };
    const customerId = text(activeContract(desk, supplyPointId)[1], 'customer_id');
    const id = book(desk, supplyPointId, visit);
    audit(desk, 'book_engineer_visit_2817', customerId);
    return `Visit ${id} booked: ${visit.type} on ${visit.date} ${visit.slot}.`;
  }),
  deskTool('cancel_engineer_visit_2819', (desk, args) => {
    const id = args.text('appointment_id');
    const appointment = desk.get('appointments', id);
    const reason = args.choice('reason', ['customer_request', 'no_longer_needed']);
    if (text(appointment, 'status') !== 'BOOKED') throw new Refused('the visit is not booked any more.');
    desk.set('appointments', id, { status: 'CANCELLED', reason });
    audit(desk, 'cancel_engineer_visit_2819', text(appointment, 'customer_id'));
    return `Visit ${id} cancelled (${reason}).`;
  }),
  deskTool('order_meter_exchange_3719', (desk, args) => {
    const supplyPointId = args.text('supply_point_id');
    const { meter } = supplyPoint(desk, supplyPointId);
    const visit = { type: 'meter_exchange', reason: args.choice('reason', EXCHANGE_REASONS), ...visitTime(args) };
    if (text(meter, 'phases') !== 'one') throw new Refused('the desk cannot order an exchange of a three-phase meter.');
    if (meter.get('exchange_order') !== null) throw new Refused('an exchange has been ordered for this meter already.');
    const customerId = text(activeContract(desk, supplyPointId)[1], 'customer_id');
    const id = book(desk, supplyPointId, visit);
    desk.set('meters', text(meter, 'meter_id'), { exchange_order: id });
    audit(desk, 'order_meter_exchange_3719', customerId);
    return `Meter exchange ${id} ordered for ${visit.date} ${visit.slot} (${visit.reason}).`;
  }),
];
