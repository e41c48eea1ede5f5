import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tool } from 'flyball/tools';

/** A small harbor: what the demonstration agents can look up and do. Everything happens in files below `.flyball`. */

const HARBOUR = join(process.env['FLYBALL_HARBOUR'] ?? '.flyball', 'harbor');
export const LEDGER = join(HARBOUR, 'ledger.txt');

const HIGH_WATER: Readonly<Record<string, string>> = {
  Bergen: '06:40 and 19:05',
  Cuxhaven: '04:15 and 16:38',
  'Saint-Malo': '07:52 and 20:14',
};
const ORDERS: Readonly<Record<string, object>> = {
  'A-17': { customer: 'Ada Thorsen', paid: 120, currency: 'EUR', what: 'berth 4 for two nights', status: 'cancelled' },
  'B-4': { customer: 'Jon Viken', paid: 48, currency: 'EUR', what: 'slipway, one morning', status: 'used' },
};

const text = (description: string) => ({ type: 'string', description });
const fields = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Work takes a moment, so that there is something to watch. */
const moment = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms));

export const tideTable = tool({
  name: 'tide_table',
  description: 'Times of high water in a port today. Not for other days.',
  input: fields({ port: text('name of the port') }),
  effect: 'pure',
  execute: async ({ port }) => {
    await moment();
    return (
      HIGH_WATER[String(port)] ?? `no table for ${String(port)}; available ports: ${Object.keys(HIGH_WATER).join(', ')}`
    );
  },
});

export const weather = tool({
  name: 'weather',
  description: 'Current wind and visibility at a port. Not a forecast.',
  input: fields({ port: text('name of the port') }),
  effect: 'pure',
  execute: async ({ port }) => {
    await moment(800);
    return `${String(port)}: wind south-west 4, visibility 12 km`;
  },
});

export const lookUpOrder = tool({
  name: 'look_up_order',
  description: 'Looks up an order by its number: customer, price and items. Not for invoices.',
  input: fields({ order: text('its number, for example A-17') }),
  effect: 'pure',
  legs: ['private-data'],
  execute: async ({ order }) => {
    await moment();
    return ORDERS[String(order)] ?? `there is no order ${String(order)}`;
  },
});

export const refund = tool({
  name: 'refund',
  description: 'Refunds an order. Not for more than was paid.',
  input: fields({
    order: text('its number'),
    amount: { type: 'number', description: 'EUR' },
    reason: text('for the books'),
  }),
  effect: { class: 'irreversible', why: 'money leaves the account' },
  review: ({ order, amount }) => ({
    why: `The customer of ${String(order)} asked for a refund, and the order was cancelled in time.`,
    expectedEffect: `${String(amount)} EUR are refunded to the customer today.`,
    undo: 'It cannot be undone; the customer would have to pay again.',
    alternatives: ['offer a voucher for the same amount', 'refund half, by changing the amount'],
    risk: 'high',
    recommendation: 'approve',
    confidence: 0.86,
  }),
  execute: async ({ order, amount }, { key }) => {
    await moment();
    write(key, `refund ${String(order)} ${String(amount)} EUR`);
    return `refunded ${String(amount)} EUR for ${String(order)}`;
  },
});

export const bookBerth = tool({
  name: 'book_berth',
  description: 'Books a berth for a time today. Not for moorings.',
  input: fields({ berth: text('its number'), time: text('as 19:05') }),
  effect: 'idempotent',
  execute: async ({ berth, time }, { key }) => {
    await moment();
    write(key, `berth ${String(berth)} at ${String(time)}`);
    return `berth ${String(berth)} is booked for ${String(time)}`;
  },
});

export const cancelBerth = tool({
  name: 'cancel_berth',
  description: 'Cancels the booking of a berth. Not for moorings.',
  input: fields({ berth: text('its number') }),
  effect: 'idempotent',
  execute: async ({ berth }, { key }) => {
    write(key, `berth ${String(berth)} cancelled`);
    return `the booking of berth ${String(berth)} is cancelled`;
  },
});

export const checkBerth = tool({
  name: 'check_berth',
  description: 'Checks a berth: which boat is there and how it is moored. Not for bookings.',
  input: fields({ berth: { type: 'integer', description: 'its number' } }),
  effect: 'pure',
  execute: async ({ berth }) => {
    await moment(900);
    return Number(berth) % 5 === 3 ? `berth ${String(berth)}: a loose line` : `berth ${String(berth)}: all fast`;
  },
});

export const TOOLS = [tideTable, weather, lookUpOrder, refund, bookBerth, cancelBerth, checkBerth] as const;

/** A line of the books. The key makes it the same line however often it is written. */
export function write(key: string, line: string): void {
  mkdirSync(dirname(LEDGER), { recursive: true });
  if (linesOf().some((known) => known.startsWith(`${key}\t`))) return;
  appendFileSync(LEDGER, `${key}\t${line}\n`);
}

export function linesOf(): readonly string[] {
  return existsSync(LEDGER) ? readFileSync(LEDGER, 'utf8').split('\n').filter(Boolean) : [];
}
