/**
 * A process that works on an experiment with the energy desk until it is done, or until it is killed. Its job comes as
 * one line of JSON on stdin, so that the code is loaded before there is something to do; it tells on stdout, a line
 * each, which simulation is finished.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { domainSource, modelUser, POLICY_DOMAINS, policyAgent, runExperiment, type SideMaker } from '@flyball/evals';
import { dataFolder, resultsFile } from '@flyball/evals/files';
import { nodeHost, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { openAiModel } from 'flyball/adapters/model-http';
import { conversationPolicy } from 'flyball/agents';

export interface ExperimentJob {
  readonly database: string;
  /** Where the results go: a file for each policy. */
  readonly results: string;
  /** Of the repository: the data that the package ships with. */
  readonly data: string;
  readonly model: string;
  readonly tasks: readonly string[];
  readonly policies: readonly string[];
  readonly concurrency: number;
}

const SKILLS = ['customer-interaction', 'energy-procedures', 'knowledge-discovery'];

const tell = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);

async function work(job: ExperimentJob): Promise<void> {
  const domain = await domainSource('energy_desk').load(dataFolder(job.data));
  const engine = await sqliteEngine({ path: job.database });
  // a model by every name: the server can tell whose request it is
  const price = { input: 0, output: 0 };
  const model = (name: string) => openAiModel({ id: `loopback/${name}`, baseUrl: job.model, price });
  const skills = SKILLS.map((name) => ({
    name,
    text: readFileSync(join(job.data, 'skills/energy_desk', name, 'SKILL.md'), 'utf8'),
  }));
  const parts = { skills, ...POLICY_DOMAINS['energy_desk'] };
  const agents: Record<string, SideMaker> = {};
  const users: Record<string, SideMaker> = {};
  for (const name of job.policies) {
    agents[name] = policyAgent(conversationPolicy(name, parts), { model: model(name) });
    users[name] = modelUser({ model: model(`customer-of-${name}`) });
  }
  const { ended } = await runExperiment({
    domain,
    tasks: domain.tasks.filter(({ id }) => job.tasks.includes(id)),
    trials: 1,
    seed: 300,
    conditions: job.policies.map((name) => ({ name, agent: name, user: name, retrieval: 'golden_retrieval' })),
    agents,
    users,
    runtime: { engine, clock: systemClock(), host: nodeHost() },
    concurrency: job.concurrency,
    maxRetries: 0,
    checkpoint: ({ name }) => resultsFile(join(job.results, `${name}.json`)),
    onProgress: ({ condition, simulation }) =>
      tell({ finished: [condition, simulation.taskId], reward: simulation.reward?.reward ?? null }),
  });
  await engine.close();
  tell({ ended });
}

const lines = createInterface({ input: process.stdin });
tell({ ready: true });
const [line] = (await once(lines, 'line')) as [string];
lines.close();
await work(JSON.parse(line) as ExperimentJob);
