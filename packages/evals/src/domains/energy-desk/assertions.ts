import type { Parameter } from '../../tau2/python/signature.js';
import type { PyValue } from '../../tau2/python/value.js';
import type { KitFunction } from '../../world/toolkit.js';
import { accountOf } from './account.js';
import { type Desk, TABLES } from './desk.js';

const needs = (...names: readonly string[]): readonly Parameter[] => names.map((name) => ({ name, required: true }));

function textOf(value: PyValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Claims about the end of a conversation, for tasks that are judged by what must hold and not only by the records. */
export const assertions: readonly KitFunction<Desk>[] = [
  {
    name: 'balance_is',
    parameters: needs('customer_id', 'balance'),
    run: (desk, args) => accountOf(desk, textOf(args.get('customer_id')))[1].get('balance') === args.get('balance'),
  },
  {
    name: 'records_of_customer',
    parameters: needs('table', 'customer_id', 'count'),
    run: (desk, args) => {
      const table = TABLES.find((name) => name === args.get('table'));
      if (table === undefined) return false;
      const found = desk.where(table, { customer_id: args.get('customer_id') ?? null });
      return BigInt(found.length) === args.get('count');
    },
  },
];
