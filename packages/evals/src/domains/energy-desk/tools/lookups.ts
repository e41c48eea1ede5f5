import type { Row } from '../../../world/database.js';
import { listing } from '../../../world/print-query.js';
import { type Desk, NOW, type TableName, text } from '../desk.js';
import { type DeskTool, deskTool } from '../desk-tool.js';

function sections(...lists: readonly (readonly [table: string, found: readonly [string, Row][]])[]): string {
  const parts = lists.map(([table, found]) => (found.length === 0 ? `Nothing in '${table}'.` : listing(table, found)));
  return parts.join('\n');
}

/** A tool that lists what some tables hold about a customer. */
function ofCustomer(name: string, ...tables: readonly TableName[]): DeskTool {
  return deskTool(name, (desk, args) => {
    const customerId = args.text('customer_id');
    desk.get('customers', customerId);
    return sections(...tables.map((table) => [table, desk.where(table, { customer_id: customerId })] as const));
  });
}

function customers(desk: Desk, fields: Readonly<Record<string, string>>): string {
  const found = desk.where('customers', fields);
  return found.length === 0 ? "No records found in 'customers'." : listing('customers', found);
}

export const lookups: readonly DeskTool[] = [
  deskTool('get_current_time', () => `The current time is ${NOW}.`),
  deskTool('get_customer_by_id', (desk, args) => customers(desk, { customer_id: args.text('customer_id') })),
  deskTool('get_customer_by_email', (desk, args) => customers(desk, { email: args.text('email').toLowerCase() })),
  deskTool('find_customer', (desk, args) =>
    customers(desk, { postcode: args.text('postcode').toUpperCase(), name: args.text('name') }),
  ),
  deskTool('get_supply_points', (desk, args) => {
    const points = desk.where('supply_points', { customer_id: args.text('customer_id') });
    return sections(['supply_points', points], ['meters', metersOf(desk, points)]);
  }),
  ofCustomer('get_account', 'accounts', 'contracts', 'direct_debits', 'debt_plans', 'priority_services'),
  ofCustomer('get_bills', 'bills'),
  ofCustomer('get_payments', 'payments', 'refunds'),
  ofCustomer('get_cases', 'complaints', 'appointments'),
];

function metersOf(desk: Desk, points: readonly [string, Row][]): [string, Row][] {
  return points.map(([, point]) => [text(point, 'meter_id'), desk.get('meters', text(point, 'meter_id'))]);
}

/** Newest first; records of the same day stay in the order in which they were made. */
function newestFirst(found: readonly [string, Row][], field: string): [string, Row][] {
  return [...found].sort(([, a], [, b]) =>
    text(a, field) < text(b, field) ? 1 : text(a, field) > text(b, field) ? -1 : 0,
  );
}

export const specialistLookups: readonly DeskTool[] = [
  deskTool('get_meter_readings_4418', (desk, args) => {
    const meterId = args.text('meter_id');
    desk.get('meters', meterId);
    return sections(['meter_readings', newestFirst(desk.where('meter_readings', { meter_id: meterId }), 'date')]);
  }),
  deskTool('get_outage_record_7053', (desk, args) => {
    const found = desk.where('outages', { postcode: args.text('postcode').toUpperCase() });
    return sections(['outages', newestFirst(found, 'start')]);
  }),
  deskTool('get_credit_history_2290', (desk, args) => {
    const customerId = args.text('customer_id');
    desk.get('customers', customerId);
    const of = (table: TableName): [string, Row][] => desk.where(table, { customer_id: customerId });
    return sections(
      ['account_credits', of('account_credits')],
      ['prepayment_support', of('prepayment_support')],
      ['referrals', desk.where('referrals', { referrer_id: customerId })],
    );
  }),
  deskTool('find_supply_point_1350', (desk, args) => {
    const points = desk.where('supply_points', { postcode: args.text('postcode').toUpperCase() });
    return sections(['supply_points', points], ['meters', metersOf(desk, points)]);
  }),
];
