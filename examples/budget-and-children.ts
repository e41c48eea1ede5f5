import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { scriptedModel } from 'flyball/testing';

/** Bounds are taken before a call is made; children get a part of what their parent has left. */

const model = scriptedModel({ researcher: (_request, n) => `finding ${n}` });

// #region child
const researcher: Agent<string, readonly string[]> = async (run, question) => {
  const findings: string[] = [];
  for (;;) {
    // run.budget is what this child has left; exceeding it ends the child, not its parent
    const reply = await run.ask(
      { name: 'researcher', model, setup: 'You find one fact.' },
      `${question} ${findings.length}`,
    );
    findings.push(reply.text);
    if (findings.length === 3) return done(findings);
  }
};
// #endregion

// #region parent
const lead: Agent<null, string> = async (run) => {
  const results = await run.all(
    ['tides', 'winds', 'currents'].map((topic) => (branch) => branch.spawn(researcher, topic, { modelCalls: 2 })),
    2, // at most two children at a time
  );
  const stops = results.map((result) => (result.ok ? result.value.stop : 'error'));
  return done(stops.join(', '));
};
// #endregion

/** Needs three calls itself: a budget of two stops it, and a larger one lets it continue. */
const talker: Agent<null, number> = async (run) => {
  for (const turn of [1, 2, 3]) {
    await run.ask({ name: 'researcher', model, setup: 'You find one fact.' }, `Turn ${turn}.`);
  }
  return done(3);
};

const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { lead, talker },
  prices: { 'scripted/model': { input: 3, output: 15 } },
});

const parent = await (await runtime.start('lead', null, { budget: budget({ modelCalls: 20 }) })).outcome();
assert(parent.stop === 'done');
assert.equal(parent.value, 'bounded, bounded, bounded'); // each child had two calls and wanted three
assert.equal(parent.usage?.modelCalls, 6); // and what they spent shows in their parent

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
console.log(`budget-and-children: children ended ${parent.value}; a bounded run went on under a larger budget`);
