import { strict as assert } from 'node:assert';
// #region model
import { type Agent, budget, createRuntime, memoryEngine } from 'flyball';
import { selfConsistency, zeroShot } from 'flyball/patterns';
import { families, type Questions, simulatedModel } from 'flyball/testing/simulated';

const questions: Questions = {
  ask: (item) => `Task #${item}: how much is ${item} + ${item}?`,
  truth: (item) => String(2 * item),
  wrong: (item, n) => String(2 * item + 1 + n),
};
// right in 60% of the calls, else one of four wrong answers
const model = simulatedModel({ seed: 1, families: families.oracle({ questions, p: 0.6, wrong: 4 }) });
const solver = zeroShot({ name: 'solver', model, setup: '', sampling: { temperature: 0.8 } }) as Agent<string, string>;
const voting = selfConsistency(solver, {}, { samples: 5 });

const runtime = createRuntime({ engine: memoryEngine(), agents: { voting } });
let right = 0;
for (let item = 0; item < 100; item++) {
  const handle = await runtime.start('voting', questions.ask(item), { id: `item-${item}`, budget: budget() });
  const outcome = await handle.outcome();
  if ('value' in outcome && outcome.value === questions.truth(item)) right++;
}
await runtime.close();
console.log(`${right} of 100 are right; theory expects 84`);
// #endregion

assert.ok(right > 68 && right < 98, `${right} of 100`);
assert.equal(model.calls.size, 500);
