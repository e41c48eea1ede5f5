import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryEngine } from 'flyball';
import { autoClock, testHost } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { ExperimentOptions, SideMaker } from '../../packages/evals/src/experiment/experiment.js';
import { runExperiment } from '../../packages/evals/src/experiment/run-experiment.js';
import { goldAgentSide, goldUserSide } from '../../packages/evals/src/experiment/sides.js';
import { readResultsFile, resultsFile, writeResultsFile } from '../../packages/evals/src/files/results-file.js';
import {
  leaderboardSubmission,
  type SubmissionFacts,
  submissionFolder,
} from '../../packages/evals/src/results/leaderboard.js';
import { readResults, writeResults } from '../../packages/evals/src/results/results-text.js';
import type { Results } from '../../packages/evals/src/results/simulation-record.js';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict } from '../../packages/evals/src/tau2/python/value.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/index.js';
import type { JsonSchema } from '../../packages/flyball/src/core/schema.js';
import { counterDomain, sumTask } from './counter-domain.js';
import { tau2, withTau2 } from './tau2-data.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'flyball-results-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function someResults(
  domain: Domain = counterDomain(2),
  agents: Record<string, SideMaker> = {},
): Promise<Results> {
  const clock = autoClock({ idleTurns: 40 });
  onTestFinished(() => clock.stop());
  const given: ExperimentOptions = {
    domain,
    tasks: domain.tasks,
    trials: 2,
    seed: 1,
    conditions: [{ name: 'gold', agent: 'llm_agent', user: 'user_simulator' }],
    agents: { llm_agent: goldAgentSide, ...agents },
    users: { user_simulator: goldUserSide },
    runtime: { engine: memoryEngine(), clock, host: testHost('results', new Set()) },
    concurrency: 2,
  };
  const [results] = (await runExperiment(given)).results.values();
  if (results === undefined) throw new Error('no results');
  return results;
}

it('writes a file that reads back as it was, floats and whole numbers apart [R5-RESULTS-FORMAT]', async () => {
  const results = await someResults();
  const text = writeResults(results);
  const again = readResults(text);
  expect(writeResults(again)).toBe(text);
  expect(again.simulations.map(({ messages, reward }) => [messages, reward])).toEqual(
    results.simulations.map(({ messages, reward }) => [messages, reward]),
  );
  expect(text).toContain('"reward": 1.0');
  expect(text).toContain('"amount": 1\n');
  expect(text).toContain('"turn_idx": 0');
});

it('writes what was changed in a file that was read, and leaves the rest [R5-RESULTS-FORMAT]', async () => {
  const text = writeResults(await someResults()).replaceAll('.000000"', '.123456"');
  const read = readResults(text);
  const simulations = read.simulations.map((one) => ({ ...one, agentCost: 2.5 }));
  const changed = parseJson(writeResults({ ...read, simulations })) as PyDict;
  const expected = parseJson(text.replaceAll('"agent_cost": 0.0', '"agent_cost": 2.5')) as PyDict;
  expect(dumpJson(changed)).toBe(dumpJson(expected));
});

it('says where a file does not fit [R5-RESULTS-FORMAT]', async () => {
  const text = writeResults(await someResults());
  const broken =
    (from: string | RegExp, to: string): (() => Results) =>
    () =>
      readResults(text.replace(from, to), 'a.json');
  expect(() => readResults('{"info": ', 'a.json')).toThrow(/^a\.json is not valid JSON: Expecting value: line 1/);
  expect(broken('"user_stop"', '"bored"')).toThrow(
    'a.json: simulations[0].termination_reason: expected one of user_stop, agent_stop',
  );
  expect(broken('"num_trials": 2', '"num_trials": "two"')).toThrow(
    'a.json: info.num_trials: expected a number, found "two".',
  );
  expect(broken(/"start_time": "[^"]*"/, '"start_time": "noon"')).toThrow('simulations[0].start_time: expected a time');
  expect(broken('"name": "add"', '"name": null')).toThrow(/tasks\[0\]\.evaluation_criteria\.actions\[0\]\.name/);
  expect(broken('"role": "user"', '"role": "judge"')).toThrow(/simulations\[0\]\.messages\[\d+\]\.role/);
});

it('reads the directory form and checks its index [R5-RESULTS-FORMAT]', async () => {
  const place = folder();
  const results = await someResults();
  const whole = parseJson(writeResults(results)) as PyDict;
  const simulations = whole.get('simulations') as PyDict[];
  const entry = (one: PyDict): PyDict =>
    new Map([...['id', 'task_id', 'trial'].map((name) => [name, one.get(name) ?? null] as const), ['reward', 1]]);
  mkdirSync(join(place, 'simulations'));
  const file = (id: unknown): string => join(place, 'simulations', `${String(id)}.json`);
  for (const one of simulations) writeFileSync(file(one.get('id')), dumpJson(one));
  whole.set('simulations', []).set('simulation_index', simulations.map(entry));
  writeFileSync(join(place, 'results.json'), dumpJson(whole));

  const read = await readResultsFile(place);
  expect(read.simulations.map(({ id, taskId }) => [id, taskId])).toEqual(
    results.simulations.map(({ id, taskId }) => [id, taskId]),
  );
  await writeResultsFile(join(place, 'one.json'), read);
  expect((await readResultsFile(join(place, 'one.json'))).simulations).toHaveLength(4);

  writeFileSync(file('stray'), dumpJson(simulations[0] ?? null));
  await expect(readResultsFile(place)).rejects.toThrow(/does not name these files of simulations: stray/);
  rmSync(file('stray'));

  const [first, second] = simulations;
  writeFileSync(file(first?.get('id')), dumpJson(second ?? null));
  await expect(readResultsFile(place)).rejects.toThrow(
    /simulation_index\[0\]: the file of this simulation holds another/,
  );
  rmSync(file(first?.get('id')));
  await expect(readResultsFile(place)).rejects.toThrow(/there is no simulations\/.*\.json/);
  whole.set('simulation_index', [new Map([['id', '../results']])]);
  writeFileSync(join(place, 'results.json'), dumpJson(whole));
  await expect(readResultsFile(place)).rejects.toThrow(/there is no simulations/);
});

it('reads a folder of simulations that has no index, by name [R5-RESULTS-FORMAT]', async () => {
  const place = folder();
  const whole = parseJson(writeResults(await someResults())) as PyDict;
  const simulations = whole.get('simulations') as PyDict[];
  mkdirSync(join(place, 'simulations'));
  for (const one of simulations) writeFileSync(join(place, 'simulations', `${one.get('id')}.json`), dumpJson(one));
  whole.delete('simulations');
  whole.delete('simulation_index');
  writeFileSync(join(place, 'results.json'), dumpJson(whole));
  const ids = simulations.map((one) => String(one.get('id'))).sort();
  expect((await readResultsFile(place)).simulations.map(({ id }) => id)).toEqual(ids);
});

it('reads times in both forms of the reference, and no others [R5-RESULTS-FORMAT]', async () => {
  const text = writeResults(await someResults());
  const at = (time: string): Results =>
    readResults(text.replaceAll(/"(start_time|timestamp)": "[^"]*"/g, `"$1": "${time}"`));
  const noon = Date.UTC(2026, 0, 31, 12, 0, 5);
  for (const time of ['20260131_120005', '2026-01-31T12:00:05', '2026-01-31 12:00:05.000999']) {
    const [first] = at(time).simulations;
    expect([first?.startedAt, first?.messages[0]?.at], time).toEqual([noon, noon]);
  }
  const odd = text.replace(/("messages": \[.*?"timestamp": )"[^"]*"/s, '$1"noon"');
  expect(() => readResults(odd)).toThrow(/simulations\[0\]\.messages\[0\]\.timestamp: expected a time/);
});

it('replaces a file in one step and clears away what a killed process left [R5-SIM-RESUME]', async () => {
  const path = join(folder(), 'deep', 'results.json');
  const checkpoint = resultsFile(path);
  expect(await checkpoint.load()).toBeUndefined();
  await checkpoint.save(await someResults());
  writeFileSync(`${path}.0000.part`, '{"timestamp": "half');
  expect((await checkpoint.load())?.simulations).toHaveLength(4);
  expect(readdirSync(join(path, '..'))).toEqual(['results.json']);
});

const FACTS: SubmissionFacts = {
  modelName: 'Some Model 2.0',
  modelOrganization: 'Makers',
  submittingOrganization: 'Flyball Users',
  contact: { email: 'people@example.com' },
  date: Date.UTC(2026, 2, 4),
  benchmarkVersion: '1.0.1',
};

/** The small domain under a name that the leaderboard has. */
function listed(tasks = 2): Domain {
  return { ...counterDomain(tasks), name: 'banking_knowledge', retrievals: ['bm25'], defaultRetrieval: 'bm25' };
}

withTau2('a leaderboard submission', () => {
  it('fits the schema of the leaderboard [R5-RESULTS-LEADERBOARD]', async () => {
    const schema = JSON.parse(readFileSync(`${tau2().data}/leaderboard/schema.json`, 'utf8')) as JsonSchema;
    const domain = listed();
    const submission = leaderboardSubmission(FACTS, [{ domain, results: await someResults(domain), file: 'a.json' }]);
    expect(await jsonSchemaCheck()(schema, submission)).toBeUndefined();
    expect(submission).toMatchObject({
      submission_type: 'standard',
      results: { banking_knowledge: { pass_1: 100, pass_2: 100, pass_3: null, cost: 0, retrieval_config: 'bm25' } },
      trajectory_files: { banking_knowledge: 'a.json' },
      methodology: { tau2_bench_version: '1.0.1', verification: { modified_prompts: false, omitted_questions: false } },
    });
    expect(await jsonSchemaCheck()(schema, { ...submission, results: { banking: {} } })).toBeDefined();
  });
});

it('marks a scaffold of ones own as custom, and asks for notes and references [R5-RESULTS-LEADERBOARD]', async () => {
  const domain = listed();
  const results = await someResults(domain);
  const own = { ...results, info: { ...results.info, agent: { ...results.info.agent, implementation: 'governed' } } };
  expect(() => leaderboardSubmission(FACTS, [{ domain, results: own }])).toThrow(/needs notes[\s\S]*needs references/);
  const references = [{ title: 'Flyball', url: 'https://example.com' }];
  const submission = leaderboardSubmission({ ...FACTS, notes: 'A gate.', references }, [{ domain, results: own }]);
  expect(submission).toMatchObject({
    submission_type: 'custom',
    methodology: { notes: 'A gate.', verification: { modified_prompts: true } },
    trajectories_available: false,
  });
  expect(submissionFolder(FACTS)).toBe('some-model-2.0_flyball-users_2026-03-04');
});

it('names every rule of the leaderboard that results break [R5-RESULTS-LEADERBOARD]', async () => {
  const domain = listed();
  const results = await someResults(domain);
  const refused =
    (changed: Partial<Results>, on: Domain = domain): (() => unknown) =>
    () =>
      leaderboardSubmission(FACTS, [{ domain: on, results: { ...results, ...changed } }]);
  expect(refused({}, listed(3))).toThrow(/missing: sum-3[\s\S]*every task needs its 2 trials/);
  expect(refused({ tasks: [sumTask(1), sumTask(2, { communicate_info: ['x'] })] })).toThrow(/changed: sum-2/);
  expect(refused({ simulations: results.simulations.slice(1) })).toThrow(/every task needs its 2 trials/);
  const [first, ...others] = results.simulations;
  if (first === undefined) throw new Error('no simulation');
  expect(refused({ simulations: [{ ...first, termination: 'infrastructure_error' }, ...others] })).toThrow(
    /1 simulations failed/,
  );
  expect(refused({ simulations: [{ ...first, reward: null }, ...others] })).toThrow(
    /1 of the simulations have no grade/,
  );
  expect(refused({ info: { ...results.info, retrieval: null } })).toThrow(/retrieval configuration is not stated/);
  expect(refused({}, { ...domain, name: 'counter' })).toThrow(/no such domain/);
  const second = { ...results, info: { ...results.info, agent: { ...results.info.agent, llm: 'another' } } };
  const both = [
    { domain, results },
    { domain: { ...domain, name: 'retail' }, results: second },
  ];
  expect(() => leaderboardSubmission(FACTS, both)).toThrow(/the agent is not configured the same/);
});
