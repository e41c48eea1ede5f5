import { strict as assert } from 'node:assert';
import { budget, createRuntime, memoryEngine, type Seams } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** An answer that says an act took place is held against the journal before it counts. */

const refund = tool({
  name: 'refund',
  description: 'Pays an order back. Not for exchanges.',
  input: z.object({ order: z.string() }),
  effect: 'idempotent',
  execute: async ({ order }) => `refunded ${order}`,
});
const says = (decision: string) => JSON.stringify({ decision, message: 'Your 120 EUR are on their way.' });
const model = scriptedModel({
  desk: [
    { toolCalls: [{ id: 'c1', name: 'refund', arguments: '{"order":"A1"}' }] },
    says('refunded'), // false: the call was denied
    says('refused'),
  ],
});

// #region proofs
const desk = defineAgent({
  name: 'desk',
  description: 'You decide about refunds.',
  model,
  tools: [refund],
  outputs: { decision: { type: 'string', enum: ['refunded', 'refused'] }, message: { type: 'string' } },
  proofs: {
    decision: {
      refunded: 'refund', // requires a completed call of refund
      refused: '!refund', // requires that no call of refund took place
    },
  },
  whenUnproven: 'fail', // or 'degrade'
  loop: { doubleConfirmation: false },
});
// #endregion proofs

const seams: Seams = { 'tool.pre': [() => async () => ({ allow: false, why: 'not without the manager' })] };
const runtime = createRuntime({ engine: memoryEngine(), agents: { desk: desk.agent }, seams });

// #region acts
const handle = await runtime.start('desk', 'Order A1 is broken. I want my money back.', { budget: budget() });
const outcome = await handle.outcome();
assert.equal(outcome.stop, 'done');
assert.equal(model.requests.length, 3); // the model was told the facts and asked again
assert.deepEqual(
  outcome.acts?.map(({ name, what }) => `${name}: ${what}`), // from the journal, whatever the answer says
  ['refund: refused'],
);
// #endregion acts

await runtime.close();
