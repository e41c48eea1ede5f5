import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { scriptedModel } from 'flyball/testing';

/** Bounds are taken before a call is made. */

const model = scriptedModel({ talker: (_request, n) => `answer ${n}` });

/** Needs three calls itself: a budget of two stops it, and a larger one lets it continue. */
const talker: Agent<null, number> = async (run) => {
  for (const turn of [1, 2, 3]) {
    await run.ask({ name: 'talker', model, setup: 'You answer briefly.' }, `Turn ${turn}.`);
  }
  return done(3);
};

const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { talker },
  prices: { 'scripted/model': { input: 3, output: 15 } },
});

// #region resume
const handle = await runtime.start('talker', null, { budget: budget({ modelCalls: 2 }) });
const stopped = await handle.outcome();
assert(stopped.stop === 'bounded'); // an outcome, not an exception
assert.equal(stopped.bound, 'modelCalls');

const resumed = await runtime.resume(handle.id, { budget: { modelCalls: 4 } });
const finished = await resumed.outcome();
assert(finished.stop === 'done'); // the first two answers came from the journal
// #endregion
assert.equal(finished.usage?.modelCalls, 3);

await runtime.close();
console.log('budgets: a bounded run went on under a larger budget');
