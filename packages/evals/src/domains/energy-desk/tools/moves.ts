import { accountOf, activeContract, supplyPoint } from '../account.js';
import { audit } from '../audit.js';
import { daysBetween } from '../calendar.js';
import { type Desk, Refused, TODAY, text } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { addReading } from './readings.js';
import { endContract, startContract } from './tariffs.js';

const DAYS_BACK = 28;
const DAYS_AHEAD = 30;

function checkMoveDate(date: string): void {
  const ahead = daysBetween(TODAY, date);
  if (ahead < -DAYS_BACK || ahead > DAYS_AHEAD) {
    throw new Refused(`the move must lie within ${DAYS_BACK} days back and ${DAYS_AHEAD} days ahead.`);
  }
}

function moveRecord(
  desk: Desk,
  move: { kind: string; customerId: string; supplyPointId: string; date: string; more: string },
): void {
  const id = idFor('mov', move.kind, move.supplyPointId, move.date);
  desk.add('moves', id, {
    move_id: id,
    kind: move.kind,
    customer_id: move.customerId,
    supply_point_id: move.supplyPointId,
    move_date: move.date,
    forwarding_postcode: move.more,
  });
}

const moveOut = deskTool('register_move_out_8830', (desk, args) => {
  const supplyPointId = args.text('supply_point_id');
  const [date, reading] = [args.date('move_date'), args.whole('final_reading')];
  checkMoveDate(date);
  const { meter } = supplyPoint(desk, supplyPointId);
  const [contractId, contract] = activeContract(desk, supplyPointId);
  const customerId = text(contract, 'customer_id');
  const readingId = addReading(desk, { meterId: text(meter, 'meter_id'), reading, date, source: 'customer' });
  const fee = endContract(desk, contractId, { date, closingReading: readingId });
  desk.set('supply_points', supplyPointId, { status: 'VACANT', customer_id: null });
  moveRecord(desk, {
    kind: 'out',
    customerId,
    supplyPointId,
    date,
    more: args.text('forwarding_postcode').toUpperCase(),
  });
  if (desk.where('supply_points', { customer_id: customerId }).length === 0) {
    desk.set('accounts', accountOf(desk, customerId)[0], { status: 'FINAL_BILL_PENDING' });
  }
  audit(desk, 'register_move_out_8830', customerId);
  return `${customerId} leaves ${supplyPointId} on ${date} with reading ${reading}. Exit fee charged: ${shown(fee)}.`;
});

const moveIn = deskTool('register_move_in_8834', (desk, args) => {
  const [customerId, supplyPointId] = [args.text('customer_id'), args.text('supply_point_id')];
  const [date, reading] = [args.date('move_date'), args.whole('opening_reading')];
  checkMoveDate(date);
  const { point, meter } = supplyPoint(desk, supplyPointId);
  const [accountId] = accountOf(desk, customerId);
  if (text(point, 'status') !== 'VACANT') throw new Refused(`${supplyPointId} is not vacant.`);
  const tariff = desk.get('tariffs', text(point, 'fuel') === 'gas' ? 'tar_std_g' : 'tar_std_e');
  desk.set('supply_points', supplyPointId, { status: 'SUPPLIED', customer_id: customerId });
  addReading(desk, { meterId: text(meter, 'meter_id'), reading, date, source: 'customer' });
  const contractId = startContract(desk, { customerId, supplyPointId, tariff, date });
  moveRecord(desk, { kind: 'in', customerId, supplyPointId, date, more: '' });
  desk.set('accounts', accountId, { status: 'ACTIVE' });
  audit(desk, 'register_move_in_8834', customerId);
  return `${customerId} takes over ${supplyPointId} on ${date} with reading ${reading}: contract ${contractId}.`;
});

export const moveTools: readonly DeskTool[] = [moveOut, moveIn];
