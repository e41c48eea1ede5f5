import { done, type Model } from 'flyball';
import { defineAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceOf } from '../../packages/flyball/src/core/prices.js';
import { capabilitiesOf } from '../../packages/flyball/src/models/known-models.js';
import { type ServerStage, serverStage } from './stage-server.js';

/** A model as its vendor sells it: long replies, real prices, and scripted answers. */
function vendor(id: string): Model {
  const answer = () => ({ text: 'fine', usage: { input: 100, output: 10 } });
  const price = priceOf(id);
  if (price === undefined) throw new Error(`No price of ${id}.`);
  const model = scriptedModel({ one: answer, two: answer, three: answer });
  return { ...model, id, capabilities: { ...model.capabilities, ...capabilitiesOf(id) }, price };
}

const model = vendor('openai/gpt-5');
const inputs = { question: { type: 'string', description: 'what to say' } } as const;
const agentOf = (name: string) => defineAgent({ name, description: 'Answers.', model, inputs });
const NAMES = ['one', 'two', 'three'];

const round = workflow(
  { name: 'round', description: 'Asks three agents side by side.' },
  async (run, _input, { invokeAgent }) => {
    const asked = NAMES.map((name) => async (branch: typeof run) => {
      const outcome = await invokeAgent(branch, name, { question: 'how is it' });
      return outcome.stop === 'bounded' ? `${name}: bounded at ${outcome.bound}` : outcome.stop;
    });
    return done((await run.all(asked, 3)).map((one) => (one.ok ? one.value : one)));
  },
);

/** Goes on for as long as it is let. */
let calls = 0;
const count = tool({
  name: 'count',
  description: 'Counts one further.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'pure',
  execute: async () => ++calls,
});
const counter = defineAgent({
  name: 'counter',
  description: 'Counts.',
  model: scriptedModel({ counter: () => ({ toolCalls: [{ id: 'c', name: 'count', arguments: '{}' }] }) }),
  tools: [count],
  inputs,
  loop: { maxIterations: 40, doubleConfirmation: false },
});

let stage: ServerStage;
beforeAll(async () => {
  const [one, two, three] = NAMES.map(agentOf);
  if (one === undefined || two === undefined || three === undefined) throw new Error('There are three.');
  stage = await serverStage({ groups: [{ agents: { one, two, three, round, counter } }] });
});
afterAll(() => stage.close());

async function outcomeOf(body: unknown) {
  const { id } = (await stage.call('POST', '/v1/runs', { body })).body;
  await stage.server.parts.fleet.handle(id).finished();
  return (await stage.call('GET', `/v1/runs/${id}`)).body.summary.outcome;
}

describe('budgets of agents over HTTP', () => {
  it('leave room for three agents of a workflow whose model could write far more than they do [F-K5]', async () => {
    const outcome = await outcomeOf({ agent: 'round', input: {}, budget: { costUsd: 2 } });
    expect(outcome).toMatchObject({ stop: 'done', value: ['done', 'done', 'done'] });
    expect(outcome.usage.tokensOut).toBe(30);
  });

  it('let a loop go on to its own limit of iterations [F-K9]', async () => {
    const outcome = await outcomeOf({ agent: 'counter', mode: 'iterative', input: { question: 'how many' } });
    expect(calls).toBe(40);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 40 });
  });
});
