import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';

/** Runs that outlive their journal and their code. */

interface State {
  readonly done: number;
  readonly of: number;
}

// #region continue
/** Starts a fresh journal every 100 rounds, so that a replay stays short. */
const counter: Agent<State, number> = async (run, state) => {
  for (let n = state.done; n < state.of; n++) {
    if (n > state.done && n % 100 === 0) run.continueWith({ ...state, done: n });
    await run.step('count', n, (value) => value, 'pure');
  }
  return done(state.of);
};
// #endregion

// #region changed
/** The second version checks first. Runs that are already past this point keep the old behavior. */
const order: Agent<{ item: string }, readonly string[]> = async (run, { item }) => {
  const log: string[] = [];
  if (run.changed('check-stock')) log.push(await run.step('check-stock', item, (of) => `checked ${of}`, 'pure'));
  log.push(await run.step('reserve', item, (of) => `reserved ${of}`, 'idempotent'));
  return done(log);
};
// #endregion

const runtime = createRuntime({
  engine: memoryEngine(),
  // the version is recorded in the journal: it marks which code wrote it
  agents: { counter, order: { agent: order, version: '2' } },
});

const counting = await runtime.start('counter', { done: 0, of: 250 }, { budget: budget() });
const counted = await counting.finished();
assert(counted.stop === 'done');
assert.equal(counted.value, 250);
assert.equal((await runtime.get(counting.id)).generation, 2); // three journals, one run

const ordered = await (await runtime.start('order', { item: 'rope' }, { budget: budget() })).outcome();
assert(ordered.stop === 'done');
assert.deepEqual(ordered.value, ['checked rope', 'reserved rope']);

await runtime.close();
console.log('long-lives: counted to 250 in three generations; a new run takes the changed path');
