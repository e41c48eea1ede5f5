import type { Row } from '../../world/database.js';
import { type Desk, Refused, text } from './desk.js';
import { amountOf, poundsOf } from './money.js';

export function accountOf(desk: Desk, customerId: string): [id: string, row: Row] {
  const [found] = desk.where('accounts', { customer_id: customerId });
  if (found === undefined) throw new Refused(`there is no account for '${customerId}'.`);
  return found;
}

export function balanceOf(desk: Desk, customerId: string): number {
  return amountOf(accountOf(desk, customerId)[1], 'balance');
}

/** Adds pence to the balance of a customer and returns what it is then. */
export function post(desk: Desk, customerId: string, pence: number): number {
  const [id, account] = accountOf(desk, customerId);
  const balance = amountOf(account, 'balance') + pence;
  desk.set('accounts', id, { balance: poundsOf(balance) });
  return balance;
}

export function activeDirectDebit(desk: Desk, customerId: string): [id: string, row: Row] | undefined {
  return desk.where('direct_debits', { customer_id: customerId, status: 'ACTIVE' })[0];
}

export function priorityEntry(desk: Desk, customerId: string): Row | undefined {
  return desk.where('priority_services', { customer_id: customerId, status: 'ACTIVE' })[0]?.[1];
}

/** The contract under which a supply point is supplied, and whose it is. */
export function activeContract(desk: Desk, supplyPointId: string): [id: string, row: Row] {
  const [found] = desk.where('contracts', { supply_point_id: supplyPointId, status: 'ACTIVE' });
  if (found === undefined) throw new Refused(`the supply point '${supplyPointId}' has no active contract.`);
  return found;
}

export function supplyPoint(desk: Desk, id: string): { readonly point: Row; readonly meter: Row } {
  const point = desk.get('supply_points', id);
  return { point, meter: desk.get('meters', text(point, 'meter_id')) };
}

/** Whose meter it is; a vacant home has nobody. */
export function customerOfMeter(desk: Desk, meterId: string): string {
  const meter = desk.get('meters', meterId);
  return text(desk.get('supply_points', text(meter, 'supply_point_id')), 'customer_id');
}
