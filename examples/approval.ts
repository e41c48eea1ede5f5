import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';

/** Waiting for people: no process is held, an answer that does not fit is refused, and nothing irreversible happens unasked. */

const paid: string[] = [];

// #region agent
const refund: Agent<{ customer: string }, string> = async (run, { customer }) => {
  const amount = await run.wait<{ euros: number }>({
    name: 'amount',
    request: { question: `How much does ${customer} get back?` },
    jsonSchema: { type: 'object', required: ['euros'], properties: { euros: { type: 'number', maximum: 500 } } },
    timeoutMs: 7 * 24 * 3600 * 1000,
  });
  if (amount === 'timed-out') return { stop: 'blocked', because: 'nobody named an amount within a week' };

  const receipt = await run.step(
    'pay-out',
    { customer, euros: amount.euros },
    (payment, { key }) => {
      paid.push(`${payment.customer}: ${payment.euros}`);
      return key;
    },
    { class: 'irreversible', why: 'money leaves the account' }, // waits for an approval automatically
  );
  return done(receipt);
};
// #endregion

const runtime = createRuntime({ engine: memoryEngine(), agents: { refund } });
const handle = await runtime.start('refund', { customer: 'Ada' }, { budget: budget() });

// #region answer
const waiting = await handle.outcome();
assert(waiting.stop === 'suspended'); // the run is unloaded; this could be another process, days later

await assert.rejects(runtime.signal(handle.id, 'amount', { euros: 9000 }), { code: 'SIGNAL_INVALID' });
await runtime.signal(handle.id, 'amount', { euros: 40 }, { from: 'ada' });
// #endregion

let outcome = await nextRest();
assert(outcome.stop === 'suspended');
const [approval] = outcome.waiting;
assert(approval?.kind === 'approval');
assert.deepEqual(paid, []); // nothing yet

// #region approve
await runtime.signal(handle.id, approval.token ?? '', { verdict: 'approve' }, { from: 'grace' });
// #endregion
outcome = await handle.finished();
assert(outcome.stop === 'done');
assert.deepEqual(paid, ['Ada: 40']);

await runtime.close();
console.log(`approval: paid out once, after an approval by grace: ${paid.join()}`);

/** The outcome after the run has received the last answer. */
async function nextRest(): Promise<Awaited<ReturnType<typeof handle.outcome>>> {
  for (;;) {
    const now = await handle.outcome();
    if (now.stop !== 'suspended' || now.waiting.some(({ kind }) => kind === 'approval')) return now;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
