import { modelServer } from 'flyball/testing';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { scriptedCustomers } from '../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { type DeskRequest, scriptedDesk } from '../../packages/evals/src/domains/energy-desk/scripted-desk.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import { openAiModel } from '../../packages/flyball/src/adapters/model-http/index.js';
import { deskExperiment, outcomes, POLICIES } from './energy-desk-experiment.js';
import { desk, taskOf } from './energy-desk-stage.js';

/** One of each tier: with a form for the customer, with an order, with a refusal, and with danger. */
const SOME = ['energy_001', 'energy_012', 'energy_020', 'energy_026', 'energy_030'];

describe('the scripted desk', () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await desk();
  });

  it('plays tasks of every tier to the end under each policy [R5-DOMAIN-OWN]', async () => {
    const tasks = SOME.map((id) => taskOf(domain, id));
    const results = await deskExperiment(domain, { tasks, policies: POLICIES, retrieval: 'bm25_grep' });
    expect(results.map(outcomes)).toEqual(POLICIES.map(() => SOME.map((id) => [id, 1, 'user_stop'])));
  });

  it('keeps to the response types of the phase machine and meets no refusal at the gate [R5-DOMAIN-OWN]', async () => {
    const tasks = SOME.slice(0, 3).map((id) => taskOf(domain, id));
    const how = { tasks, policies: ['imperative', 'governed'], retrieval: 'golden_retrieval' };
    for (const { simulations } of await deskExperiment(domain, how)) {
      for (const { info } of simulations) expect(info).toMatchObject({ responseTypeViolations: 0, refusedCalls: 0 });
    }
  });

  it('plays both sides from a model server on loopback, told apart by what they are asked [R5-DOMAIN-OWN]', async () => {
    const [agent, customer] = [scriptedDesk(domain.tasks), scriptedCustomers(domain.tasks)];
    const isCustomer = ({ messages }: DeskRequest): boolean => messages[0]?.content.includes('<scenario>') === true;
    const server = await modelServer({ replies: (request) => (isCustomer(request) ? customer : agent)(request) });
    onTestFinished(() => server.close());
    const model = openAiModel({ id: 'loopback/desk', baseUrl: server.baseUrl('openai-chat') });
    const tasks = [taskOf(domain, 'energy_013')];
    const how = { tasks, policies: POLICIES, retrieval: 'grep_only', model };
    const results = await deskExperiment(domain, how);
    expect(results.map(outcomes)).toEqual(POLICIES.map(() => [['energy_013', 1, 'user_stop']]));
    expect(server.requests.length).toBeGreaterThan(60);
  });

  it('says so when it is asked about a conversation that it does not know [R5-DOMAIN-OWN]', () => {
    const request = { messages: [{ role: 'user', content: 'Sing me a song.' }], tools: [] } as const;
    expect(() => scriptedDesk(domain.tasks)(request)).toThrow(/None of the scripted tasks/);
    expect(() => scriptedCustomers(domain.tasks)(request)).toThrow(/No scripted task/);
  });
});
