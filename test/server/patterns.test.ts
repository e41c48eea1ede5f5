import { type Agent, done } from 'flyball';
import { selfConsistency, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { type ServerStage, serverStage } from './stage-server.js';

const model = scriptedModel(
  {
    clerk: () => '18',
    host: () => {
      throw new Error('nobody is there');
    },
  },
  { id: 'scripted/one', price: { input: 100, output: 100 } },
);
const session = (name: string) => ({ name, model, setup: 'You answer.' });

/** Tells nobody that its model failed, and how it feels instead. */
const host: Agent<string, string> = (run, input) =>
  run.enter({ pattern: 'greeting' }, async (inside) => {
    await inside.ask(session('host'), input).catch(() => undefined);
    return done('I am so happy.');
  });

describe('patterns over HTTP', () => {
  let stage: ServerStage;
  let admin: string;
  beforeAll(async () => {
    stage = await serverStage({
      groups: [{ agents: { vote: selfConsistency(zeroShot(session('clerk')), {}, { samples: 3 }), host } }],
    });
    admin = await stage.keyFor('harbor', ['admin']);
  });
  afterAll(() => stage.close());

  const ran = async (agent: string): Promise<string> => {
    const { body } = await stage.call('POST', '/v1/runs', { key: admin, body: { agent, input: 'How many?' } });
    const status = async () => (await stage.call('GET', `/v1/runs/${body.id}`, { key: admin })).body.status;
    await expect.poll(status, { timeout: patient(20_000) }).toBe('done');
    return body.id;
  };

  it('serve the catalogue and the laboratory to whoever may read agents, and to nobody else [R17-STUDIO-PAGE]', async () => {
    const reader = await stage.keyFor('harbor', ['agents:read']);
    const { status, body } = await stage.call('GET', '/v1/patterns', { key: reader });
    expect([status, body.patterns.length, body.relations.length]).toEqual([200, 94, 214]);
    const laboratory = await stage.call('GET', '/v1/patterns/laboratory', { key: reader });
    expect(laboratory.body.condition).toContain('simulated models');
    expect(laboratory.body.curves.map(({ pattern }: { pattern: string }) => pattern)).toContain('R17');
    const other = await stage.keyFor('harbor', ['runs:read']);
    for (const path of ['/v1/patterns', '/v1/patterns/laboratory']) {
      expect((await stage.call('GET', path, { key: other })).status).toBe(403);
      expect((await stage.call('GET', path)).status).toBe(401);
    }
  });

  it('list the patterns of a run with predicted and actual calls and cost [R17-STUDIO-TAB]', async () => {
    const run = await ran('vote');
    const { status, body } = await stage.call('GET', `/v1/runs/${run}/patterns`, { key: admin });
    expect(status).toBe(200);
    expect(body.spans[0]).toMatchObject({
      path: '/selfConsistency.0',
      pattern: 'selfConsistency',
      predicted: { min: 3, max: 3 },
      modelCalls: 3,
      how: 'done',
    });
    const samples = body.spans.filter(({ pattern }: { pattern: string }) => pattern === 'zeroShot');
    expect(samples).toHaveLength(3);
    const each = samples.reduce((sum: number, { costUsd }: { costUsd: number }) => sum + costUsd, 0);
    expect(body.spans[0].costUsd).toBeGreaterThan(0);
    expect(body.spans[0].costUsd).toBeCloseTo(each);
    expect(body.findings).toEqual([]);
  });

  it('say at which pattern the linter found something; the composition only to whoever may read agents [R17-STUDIO-TAB]', async () => {
    const run = await ran('host');
    const { body } = await stage.call('GET', `/v1/runs/${run}/patterns`, { key: admin });
    const told = (findings: readonly { rule: string; from: string; path?: string }[]) =>
      findings.map(({ rule, from, path }) => [rule, from, path]);
    expect(told(body.findings)).toEqual([
      ['A10', 'journal', '/greeting.0'],
      ['HA1', 'journal', undefined],
      ['OPAQUE', 'composition', undefined],
    ]);
    const reader = await stage.keyFor('harbor', ['runs:read', 'runs:all']);
    const less = await stage.call('GET', `/v1/runs/${run}/patterns`, { key: reader });
    expect(told(less.body.findings).map(([rule]) => rule)).toEqual(['A10', 'HA1']);
    const stranger = await stage.keyFor('elsewhere', ['admin']);
    expect((await stage.call('GET', `/v1/runs/${run}/patterns`, { key: stranger })).status).toBe(404);
  });
});
