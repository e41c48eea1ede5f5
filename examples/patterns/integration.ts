import { directCall, tool } from 'flyball/patterns/integration';
import { z } from 'zod';

/** One example of each pattern of integration: what the pages about them show. */

// #region directCall
const Charge = z.object({ customer: z.string(), cents: z.number().int().positive() });
const charge = directCall(
  {
    name: 'charge',
    input: Charge,
    effect: 'idempotent',
    check: ({ cents }) => (cents > 100_000 ? `${cents} is over the limit of 100000.` : undefined),
    send: async (params, { key, signal }) => {
      const headers = { authorization: `Bearer ${process.env['PAYMENTS_KEY']}`, 'idempotency-key': key };
      const url = 'https://payments.example.com/charges';
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(params), signal });
      if (!response.ok) throw Object.assign(new Error(`It answered ${response.status}.`), { retryable: true });
      return (await response.json()) as { readonly id: string };
    },
  },
  { maxTries: 3, breaker: { failures: 5, openMs: 30_000 } },
); // Agent<{ customer, cents }, { id }>
// #endregion

// #region tool
const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number. Not for customers without one.',
  input: z.object({ order: z.string() }),
  effect: 'pure',
  execute: async ({ order }) => ({ order, status: 'shipped' }),
});
// #endregion

export const examples = { directCall: charge, tool: findOrder };
