import { memoryEngine, systemClock } from 'flyball';
import { scriptedModel, testHost } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { energyDesk } from '../../packages/evals/src/domains/energy-desk/energy-desk.js';
import { scriptedCustomerSide } from '../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { behindGate } from '../../packages/evals/src/experiment/behind-gate.js';
import { runExperiment } from '../../packages/evals/src/experiment/run-experiment.js';
import { policyAgent } from '../../packages/evals/src/experiment/sides.js';
import { dataFolder } from '../../packages/evals/src/files/data-folder.js';
import { POLICY_DOMAINS } from '../../packages/evals/src/policies/policy-domains.js';
import type { SimulationRecord } from '../../packages/evals/src/results/simulation-record.js';
import type { SimMessage } from '../../packages/evals/src/world/message.js';
import { baseline } from '../../packages/flyball/src/agents/policies/baseline.js';
import { inRun, offered } from '../policies/stage-policies.js';

const WRITE = { name: 'update_contact_details', arguments: '{"customer_id":"C1","email":"thief@example.org"}' };

/** An agent that writes with its first move and talks afterwards, behind a gate or not. */
async function bold(gated: boolean): Promise<SimulationRecord> {
  const domain = await energyDesk.load(dataFolder(new URL('../../packages/evals/data', import.meta.url).pathname));
  const model = scriptedModel({
    agent: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? { text: 'It is done.' }
        : { text: '', toolCalls: [{ id: 'w1', ...WRITE }] },
  });
  const gate = gated ? POLICY_DOMAINS['energy_desk']?.gate : undefined;
  const report = await runExperiment({
    domain,
    tasks: domain.tasks.slice(0, 1),
    trials: 1,
    seed: 1,
    conditions: [{ name: 'bold', agent: 'bold', user: 'customer', retrieval: 'no_knowledge' }],
    agents: { bold: policyAgent(baseline, { model }, gate) },
    users: { customer: scriptedCustomerSide },
    runtime: {
      engine: memoryEngine(),
      clock: systemClock(),
      host: testHost('bold', new Set()),
      prices: () => ({ input: 0, output: 0 }),
    },
    concurrency: 1,
    maxRetries: 0,
    limits: { maxSteps: 12 },
  });
  const [record] = [...report.results.values()][0]?.simulations ?? [];
  if (record === undefined) throw new Error('nothing was run');
  return record;
}

const IDA = {
  name: 'Ida Marsh',
  customer_id: 'cus_1',
  date_of_birth: '1986-04-17',
  email: 'ida@marsh.example',
  phone_number: '07700 900114',
  postcode: 'QX1 4TB',
};

/** An earlier conversation, in which a customer was looked up and logged at the highest level. */
function earlier(stated: string): readonly SimMessage[] {
  const call = (id: string, name: string, args: Readonly<Record<string, string>>): SimMessage => ({
    role: 'assistant',
    content: null,
    calls: [{ id, name, arguments: new Map(Object.entries(args)), requestor: 'assistant' }],
    cost: 0,
    at: 0,
  });
  const answer = (id: string, content: string): SimMessage => ({
    role: 'tool',
    id,
    content,
    requestor: 'assistant',
    error: false,
    at: 0,
  });
  return [
    { role: 'user', content: stated, calls: [], cost: 0, at: 0 },
    call('a', 'get_customer_by_id', { customer_id: 'cus_1' }),
    answer('a', JSON.stringify(IDA)),
    call('b', 'log_verification', { ...IDA, level: 'enhanced', time_verified: 'now' }),
    answer('b', 'Logged.'),
  ];
}

describe('the gate around a run', () => {
  it.each([
    ['lets a write pass that an earlier part of the conversation allows', 'QX1 4TB, 17 April 1986, 07700 900114', true],
    ['believes no earlier log that nothing bears out', 'It is me.', false],
  ])('%s [R5-TALK-GOV-GATE]', async (_what, stated, passes) => {
    const gate = POLICY_DOMAINS['energy_desk']?.gate;
    const result = await inRun((run) =>
      behindGate(run, gate, { known: [], history: earlier(stated) }).run.call(offered('update_contact_details'), {
        customer_id: 'cus_1',
        field: 'email',
        new_value: 'x@y.z',
      }),
    );
    expect(result.ok).toBe(passes);
  });

  it('refuses a write of an agent that has no gate of its own, and the world never sees it [R5-TALK-GOV-GATE]', async () => {
    const record = await bold(true);
    expect(record.info).toMatchObject({ refusedCallIds: ['w1'], refusedCalls: 1 });
    const answer = record.messages.find((message) => message.role === 'tool');
    expect(answer).toMatchObject({ error: true });
    expect(answer?.content).toMatch(/verif/i);
  });

  it('is not there where none was asked for [R5-TALK-GOV-GATE]', async () => {
    const record = await bold(false);
    expect(record.info).not.toHaveProperty('refusedCallIds');
  });
});
