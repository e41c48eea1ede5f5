import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { scriptedModel } from 'flyball/testing';

/** Children get a part of what their parent has left. */

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

const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { lead },
  prices: { 'scripted/model': { input: 3, output: 15 } },
});

const parent = await (await runtime.start('lead', null, { budget: budget({ modelCalls: 20 }) })).outcome();
assert(parent.stop === 'done');
assert.equal(parent.value, 'bounded, bounded, bounded'); // each child had two calls and wanted three
assert.equal(parent.usage?.modelCalls, 6); // and what they spent shows in their parent

await runtime.close();
console.log(`children: they ended ${parent.value}`);
