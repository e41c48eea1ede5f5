import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { forkPointCheck, stateAt, timelineOf } from 'flyball/views';

/** Reading a run as it was, and going on from there in a new one. */

const model = scriptedModel({ planner: ['plan A', 'plan B'], critic: ['too slow', 'good'] });
const published: string[] = [];

const editor: Agent<null, string> = async (run) => {
  const plan = await run.ask({ name: 'planner', model, setup: 'You plan.' }, 'How do we launch?');
  const verdict = await run.ask({ name: 'critic', model, setup: 'You judge.' }, plan.text);
  await run.step('publish', `${plan.text}: ${verdict.text}`, (text) => void published.push(text), {
    class: 'undoable',
    compensate: async (text) => void published.splice(published.indexOf(text), 1),
    simulate: () => undefined, // replaces the effect in a fork that is not live
  });
  return done(`${plan.text}: ${verdict.text}`);
};

const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { editor },
  prices: { 'scripted/model': { input: 3, output: 15 } },
});
const first = await runtime.start('editor', null, { budget: budget() });
await first.outcome();

// #region time-travel
const entries = await runtime.entries(first.id);
for (const line of timelineOf(entries)) console.log(`  ${line.seq}  ${line.symbol} ${line.text}`);

const firstAnswer = entries.find(({ event }) => event.type === 'ask-end');
assert(firstAnswer !== undefined);
const then = stateAt(first.id, entries, firstAnswer); // computed from the journal: no code runs
assert.equal(then.spent.modelCalls, 1);
// #endregion

// #region fork
const fork = await runtime.fork(first.id, { at: firstAnswer.seq });
const outcome = await fork.outcome(); // plan A is inherited; the critic is asked again
// #endregion
assert(outcome.stop === 'done');
assert.equal(outcome.value, 'plan A: good');
assert.deepEqual(published, ['plan A: too slow']); // the fork only simulated its effect on the world

// #region refused
const intent = entries.find(({ event }) => event.type === 'intent');
assert(intent !== undefined);
const verdict = forkPointCheck(entries, intent.seq); // this entry is inside an effect, which may or may not have happened
assert(!verdict.ok);
await assert.rejects(runtime.fork(first.id, { at: intent.seq }), { code: 'FORK_REFUSED' });
// #endregion
assert.equal(verdict.nearest, intent.seq - 1);

await runtime.close();
console.log('fork-and-time-travel: a fork asked again from entry', firstAnswer.seq, 'and published nothing');
