import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, memoryEngine } from 'flyball';

/** What was done is undone, newest first, when a run fails or is cancelled; the report names what nobody can undo. */

const world = new Set<string>();
const log: string[] = [];

// #region agent
const trip: Agent<{ city: string }, never> = async (run, { city }) => {
  await run.step('book-flight', city, (to) => void world.add(`flight to ${to}`), {
    class: 'undoable',
    // ensures a state ("this flight does not exist"), so it is safe to run twice
    compensate: async (to) => {
      world.delete(`flight to ${to}`);
      log.push('flight');
    },
  });
  await run.step('book-hotel', city, (to) => void world.add(`hotel in ${to}`), {
    class: 'undoable',
    compensate: async (to) => {
      world.delete(`hotel in ${to}`);
      log.push('hotel');
    },
  });
  await run.step('send-mail', city, (to) => void world.add(`mail about ${to}`), 'idempotent');
  throw new Error('the conference was called off');
};
// #endregion

const runtime = createRuntime({ engine: memoryEngine(), agents: { trip } });
const outcome = await (await runtime.start('trip', { city: 'Oslo' }, { budget: budget() })).outcome();

// #region report
assert(outcome.stop === 'failed');
assert.deepEqual(
  outcome.rollback?.entries.map(({ name, status }) => `${name}: ${status}`),
  ['send-mail: CANNOT_ROLLBACK', 'book-hotel: COMPENSATED', 'book-flight: COMPENSATED'],
);
assert.equal(outcome.rollback?.attention, 'requires manual intervention'); // the mail was sent
// #endregion
assert.deepEqual(log, ['hotel', 'flight']);
assert.deepEqual([...world], ['mail about Oslo']);

await runtime.close();
console.log(`saga: undone in reverse order: ${log.join(', ')}; left for a person: ${[...world].join()}`);
