import { readFileSync } from 'node:fs';
import { memoryEngine, systemClock } from 'flyball';
import { scriptedModel, testHost } from 'flyball/testing';
import { scriptedCustomerSide } from '../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { scriptedDesk } from '../../packages/evals/src/domains/energy-desk/scripted-desk.js';
import type { SideMaker } from '../../packages/evals/src/experiment/experiment.js';
import { runExperiment } from '../../packages/evals/src/experiment/run-experiment.js';
import { modelUser, policyAgent } from '../../packages/evals/src/experiment/sides.js';
import { POLICY_DOMAINS } from '../../packages/evals/src/policies/policy-domains.js';
import type { Results } from '../../packages/evals/src/results/simulation-record.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import type { Task } from '../../packages/evals/src/world/task.js';
import { conversationPolicy } from '../../packages/flyball/src/agents/policies/policies.js';
import type { Model } from '../../packages/flyball/src/core/model.js';

export const POLICIES = ['baseline', 'declarative', 'imperative', 'governed'] as const;

const skills = ['customer-interaction', 'energy-procedures', 'knowledge-discovery'].map((name) => ({
  name,
  text: readFileSync(new URL(`../../packages/evals/data/skills/energy_desk/${name}/SKILL.md`, import.meta.url), 'utf8'),
}));

function agents(model: Model): Record<string, SideMaker> {
  const parts = { skills, ...POLICY_DOMAINS['energy_desk'] };
  // as the command line wires it: the gate stands in the speaker and around the run
  const gateOf = (name: string) => (name === 'governed' ? parts.gate : undefined);
  return Object.fromEntries(
    POLICIES.map((name) => [name, policyAgent(conversationPolicy(name, parts), { model }, gateOf(name))]),
  );
}

/** Finds every assertion met. */
function agreeable(domain: Domain): Model {
  const outcomes = domain.tasks.flatMap(({ criteria }) => criteria?.nlAssertions ?? []);
  const results = outcomes.map((expectedOutcome) => ({
    expectedOutcome,
    reasoning: 'So it is.',
    metExpectation: true,
  }));
  return scriptedModel({ 'nl-judge': () => JSON.stringify({ results }) });
}

export interface DeskExperiment {
  readonly tasks: readonly Task[];
  readonly policies: readonly string[];
  readonly retrieval: string;
  /** Asked for both sides; where absent, the agent's model is scripted and the customers say their lines. */
  readonly model?: Model;
}

/** The scripted desk under real policies, in real runs, graded by replay; one results file a policy. */
export async function deskExperiment(domain: Domain, how: DeskExperiment): Promise<readonly Results[]> {
  const desk = scriptedDesk(domain.tasks);
  const model = how.model ?? scriptedModel({ agent: (request) => desk(request) });
  const conditions = how.policies.map((agent) => ({ name: agent, agent, user: 'customer', retrieval: how.retrieval }));
  const report = await runExperiment({
    domain,
    tasks: how.tasks,
    trials: 1,
    seed: 300,
    conditions,
    agents: agents(model),
    users: { customer: how.model === undefined ? scriptedCustomerSide : modelUser({ model }) },
    runtime: {
      engine: memoryEngine(),
      clock: systemClock(),
      host: testHost('desk', new Set()),
      prices: () => ({ input: 0, output: 0 }),
    },
    concurrency: 4,
    maxRetries: 0,
    judge: { model: agreeable(domain) },
  });
  return [...report.results.values()];
}

/** Task, reward and how it ended; what went wrong, where there is no reward. */
export function outcomes(results: Results): readonly unknown[] {
  return results.simulations.map(({ taskId, reward, termination, info }) => [
    taskId,
    reward?.reward ?? info,
    termination,
  ]);
}
