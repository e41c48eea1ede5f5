import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import {
  comparePaired,
  conditionOf,
  deskModel,
  domainSource,
  measurementOf,
  POLICY_DOMAINS,
  policyAgent,
  promote,
  type RewardInfo,
  readResults,
  releaseGate,
  reportOf,
  runExperiment,
  scriptedCustomerSide,
  silentAgentSide,
  tableMarkdown,
  writeResults,
} from '@flyball/evals';
import { dataFolder, shippedFolder } from '@flyball/evals/files';
import { memoryEngine, nodeHost, systemClock } from 'flyball';
import { readSkills } from 'flyball/adapters/skill-folder';
import { conversationPolicy, type PolicyMaker, policyBook } from 'flyball/agents';

/** Three agents on tasks of the built-in domain: an experiment, its report, a comparison and a gate, all in memory. */

// #region domain
const domain = await domainSource('energy_desk').load(dataFolder(shippedFolder));
const { skills } = await readSkills(join(shippedFolder, 'skills/energy_desk'));
const parts = {
  skills: skills.map(({ name, instructions }) => ({ name, text: instructions })),
  ...POLICY_DOMAINS['energy_desk'], // the state machine for imperative, the gate for governed
};
// #endregion

// #region module
export const policies: Readonly<Record<string, PolicyMaker>> = {
  brief: (given) => (setting) =>
    conversationPolicy('governed', given)({ ...setting, instructions: `${setting.instructions ?? ''}\nBe brief.` }),
};
// #endregion

// #region experiment
const model = deskModel(domain.tasks); // plays a perfect agent; use createModels(…) for a real model
const book = policyBook(policies);
const names = ['baseline', 'brief'];
const { results } = await runExperiment({
  domain,
  tasks: domain.tasks.slice(0, 3),
  trials: 2,
  seed: 300,
  conditions: [...names, 'silent'].map((agent) => ({ name: agent, agent, user: 'customer', retrieval: 'bm25' })),
  agents: {
    ...Object.fromEntries(names.map((name) => [name, policyAgent(book.make(name, parts), { model })])),
    silent: silentAgentSide,
  },
  users: { customer: scriptedCustomerSide }, // modelUser({ model }) lets a model play it
  runtime: { engine: memoryEngine(), clock: systemClock(), host: nodeHost() },
  concurrency: 4,
  // checkpoint: (condition) => resultsFile(`runs/${condition.name}/results.json`),
  // signal: stops it at a safe point; call it again to continue from the checkpoint and the journal
});
// #endregion

// #region report
const measured = [...results.values()].map((one) => ({ results: one, domain }));
const report = reportOf(measured); // reportMarkdown, reportCsv, reportJson and reportHtml write all of it
const [table] = report.tables;
if (table !== undefined) console.log(tableMarkdown(table));
assert.deepEqual(
  report.summaries.map(({ agent, pass1 }) => [agent, pass1?.value]),
  [
    ['baseline', 1],
    ['brief', 1],
    ['silent', 0],
  ],
);
// #endregion

// #region compare
const [baseline, , silent] = measured.map((one) => conditionOf(one.results, one.domain));
assert(baseline !== undefined && silent !== undefined);
const { difference, losses } = comparePaired(baseline, silent);
assert.deepEqual([difference.value, losses], [-1, 3]);
// #endregion

const nothing = (reward: RewardInfo | null) => (reward === null ? null : { ...reward, reward: 0 });
// #region gate
const accepted = promote(measurementOf(measured), { by: 'mara', reason: 'the first run', at: '2026-02-01' });
assert.equal(releaseGate(measurementOf(measured), accepted).passed, true);
const fallen = measured.map(({ results: one }) => ({
  domain,
  results: { ...one, simulations: one.simulations.map((each) => ({ ...each, reward: nothing(each.reward) })) },
}));
assert.equal(releaseGate(measurementOf(fallen), accepted).passed, false);
// #endregion

// #region file
const [one] = results.values();
assert(one !== undefined);
const text = writeResults(one); // results.json of tau2-bench
assert.equal(writeResults(readResults(text)), text);
// #endregion
