import { done } from 'flyball';
import { workflow } from 'flyball/agents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

const round = workflow(
  { name: 'round', description: 'Asks two agents.', inputs: { port: { type: 'string', description: 'where' } } },
  async (run, { port }, { invokeAgent }) => {
    const desk = await invokeAgent(run, 'desk', { question: `tides in ${port}` });
    const plain = await invokeAgent(run, 'plain', { question: 'and the wind' });
    return done([desk.stop, plain.stop]);
  },
);

let stage: ServerStage;
beforeAll(async () => {
  const standard = standardGroup();
  stage = await serverStage({ groups: [{ ...standard, agents: { ...standard.agents, round } }] });
});
afterAll(() => stage.close());

const ended = async (id: string) => {
  await stage.server.parts.fleet.handle(id).finished();
  return (await stage.call('GET', `/v1/runs/${id}`)).body;
};

describe('a workflow over HTTP', () => {
  it('is served as one and finds the agents of its group: with tools iteratively, without as a single shot [R6-WORKFLOW-INVOKE]', async () => {
    const { body: card } = await stage.call('GET', '/v1/agents/round');
    expect(card).toMatchObject({ kind: 'workflow', inputs: { required: ['port'] } });
    const { status, body } = await stage.call('POST', '/v1/runs', {
      body: { agent: 'round', input: { port: 'Bergen' } },
    });
    expect({ status, mode: body.mode }).toEqual({ status: 202, mode: 'workflow' });
    const run = await ended(body.id);
    expect(run.summary.outcome).toMatchObject({ stop: 'done', value: ['done', 'done'] });
    expect(run.summary.effects).toMatchObject({ spawn: 2, call: 1 });
  });

  it('is tried without a model call or a tool call, and says what it would invoke [R6-WORKFLOW-DRY-RUN]', async () => {
    const { status, body } = await stage.call('POST', '/v1/runs', {
      body: { agent: 'round', input: { port: 'Bergen' }, dryRun: true },
    });
    expect({ status, mode: body.mode }).toEqual({ status: 202, mode: 'workflow' });
    const run = await ended(body.id);
    expect(run.summary.effects).toMatchObject({ ask: 0, call: 0 });
    expect(run.summary.outcome.value.acts).toMatchObject([
      { agent: 'desk', mode: 'iterative' },
      { agent: 'plain', mode: 'once' },
    ]);
  });

  it('is the only kind that can be tried so [R6-WORKFLOW-DRY-RUN]', async () => {
    const { status, body } = await stage.call('POST', '/v1/runs', {
      body: { agent: 'desk', input: { question: 'x' }, dryRun: true },
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INPUT_INVALID' });
  });
});
