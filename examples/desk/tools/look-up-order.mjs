import { tool } from 'flyball/tools';

const ORDERS = new Map([['A1', { customer: 'ada@home.example', state: 'sent', euros: 40 }]]);

export default tool({
  name: 'look_up_order',
  description: 'Finds an order by its number. Not for customers.',
  input: {
    type: 'object',
    properties: { number: { type: 'string', description: 'such as A1' } },
    required: ['number'],
    additionalProperties: false,
  },
  effect: 'pure',
  legs: ['private-data'],
  execute: async ({ number }) => ({ number, ...(ORDERS.get(String(number)) ?? { state: 'unknown' }) }),
});
