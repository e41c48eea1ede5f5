import type { Row } from '../../../world/database.js';
import { activeContract, post, supplyPoint } from '../account.js';
import { audit } from '../audit.js';
import { daysBetween, monthsAfter } from '../calendar.js';
import { type Desk, Refused, TODAY, text, whole } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { idFor } from '../ids.js';
import { amountOf, poundsOf } from '../money.js';
import { lastActual } from './readings.js';

const FRESH_DAYS = 14;

/** On what an old contract is closed: a fresh reading, the smart meter's own, or an estimate. */
function closingReading(desk: Desk, meter: Row): string {
  if (text(meter, 'meter_type') === 'smart') return 'smart';
  const last = lastActual(desk, text(meter, 'meter_id'));
  const isFresh = last !== undefined && daysBetween(text(last, 'date'), TODAY) <= FRESH_DAYS;
  return isFresh ? text(last, 'reading_id') : 'estimate';
}

/** Ends a contract and charges its exit fee, unless that was waived before. Returns the fee. */
export function endContract(
  desk: Desk,
  contractId: string,
  how: { readonly date: string; readonly closingReading: string },
): number {
  const contract = desk.get('contracts', contractId);
  const fee = contract.get('exit_fee_waived') === null ? amountOf(contract, 'exit_fee') : 0;
  desk.set('contracts', contractId, {
    status: 'ENDED',
    ended_date: how.date,
    closing_reading: how.closingReading,
    exit_fee_charged: poundsOf(fee),
  });
  post(desk, text(contract, 'customer_id'), -fee);
  return fee;
}

export function startContract(
  desk: Desk,
  { customerId, supplyPointId, tariff, date }: { customerId: string; supplyPointId: string; tariff: Row; date: string },
): string {
  const tariffId = text(tariff, 'tariff_id');
  const months = whole(tariff, 'term_months');
  const id = idFor('con', supplyPointId, tariffId, date);
  desk.add('contracts', id, {
    contract_id: id,
    customer_id: customerId,
    supply_point_id: supplyPointId,
    tariff_id: tariffId,
    start_date: date,
    end_date: months === 0 ? null : monthsAfter(date, months),
    status: 'ACTIVE',
    exit_fee: text(tariff, 'exit_fee'),
    exit_fee_waived: null,
  });
  return id;
}

function checkTariff(tariff: Row, meter: Row): void {
  if (text(tariff, 'fuel') !== text(meter, 'fuel')) throw new Refused('the tariff is for the other fuel.');
  if (text(tariff, 'status') !== 'OPEN') throw new Refused('the tariff is closed.');
  if (text(tariff, 'requires_smart') === 'yes' && text(meter, 'meter_type') !== 'smart') {
    throw new Refused('the tariff needs a smart meter.');
  }
  if ((text(tariff, 'prepayment_only') === 'yes') !== (text(meter, 'mode') === 'prepayment')) {
    throw new Refused('the tariff does not fit the mode of the meter.');
  }
}

export const tariffTools: readonly DeskTool[] = [
  deskTool('change_tariff_5561', (desk, args) => {
    const supplyPointId = args.text('supply_point_id');
    const { meter } = supplyPoint(desk, supplyPointId);
    const tariff = desk.get('tariffs', args.text('tariff_id'));
    const [contractId, contract] = activeContract(desk, supplyPointId);
    checkTariff(tariff, meter);
    if (text(contract, 'tariff_id') === text(tariff, 'tariff_id'))
      throw new Refused('the contract is on that tariff already.');
    const customerId = text(contract, 'customer_id');
    const closing = closingReading(desk, meter);
    const fee = endContract(desk, contractId, { date: TODAY, closingReading: closing });
    const id = startContract(desk, { customerId, supplyPointId, tariff, date: TODAY });
    audit(desk, 'change_tariff_5561', customerId);
    return `${contractId} ended (closed on: ${closing}, exit fee charged: ${shown(fee)}). New contract ${id} on ${text(tariff, 'name')}.`;
  }),
  deskTool('waive_exit_fee_1946', (desk, args) => {
    const contractId = args.text('contract_id');
    const contract = desk.get('contracts', contractId);
    const reason = args.choice('reason', ['end_window', 'cooling_off', 'moving_home', 'supplier_error']);
    if (text(contract, 'status') !== 'ACTIVE') throw new Refused('the contract has ended.');
    if (amountOf(contract, 'exit_fee') === 0) throw new Refused('the contract has no exit fee.');
    desk.set('contracts', contractId, { exit_fee_waived: reason });
    audit(desk, 'waive_exit_fee_1946', text(contract, 'customer_id'));
    return `The exit fee of ${contractId} is waived (${reason}).`;
  }),
];
