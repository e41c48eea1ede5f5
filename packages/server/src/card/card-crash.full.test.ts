import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Agent, createRuntime, done, memoryEngine } from 'flyball';
import { assertSame, exercise, type Scenario } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import { schemaOfFields } from '../../../flyball/src/agents/fields.js';
import { DEFAULT_SETTINGS } from '../settings.js';
import { discover } from './discover.js';
import { cardRoutes } from './routes.js';

const inputs = schemaOfFields({ question: { type: 'string' } }, 'refuse');
const NEED = { skill: 'desk', input: inputs };

/** A server with a card, made from what is registered. */
async function serving(): Promise<string> {
  const desk = { name: 'desk', description: 'Answers customers.', kind: 'agent', inputs, outputs: {} } as const;
  const server = createServer(async (request, response) => {
    const [route] = cardRoutes({
      directory: { list: () => [desk] },
      settings: { ...DEFAULT_SETTINGS, publicCard: true },
      keys: { any: async () => false },
    });
    const headers = new Headers({ host: request.headers.host ?? '' });
    const answer = (await route?.handle({ headers } as never)) as { readonly body: unknown };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('an agent that believes a card and acts on it ends the same after a crash at every write [I5.crash]', async () => {
  const origin = await serving();
  // fetched once: the clock of a scenario moves while a server answers, which would look like one that takes minutes
  const card = await discover(origin, NEED);
  expect(card).toMatchObject({ verified: true });
  const scenario: Scenario = {
    name: 'discover',
    open: (life, outside) => {
      const agent: Agent<unknown, unknown> = async (run) => {
        const found = await run.step('discover', NEED, async () => card, 'pure');
        if (!found.verified) return done(found.code);
        const { url } = found.interface;
        await run.step('ask', { url }, (_given, how) => outside.act('ask the desk', how), 'idempotent');
        return done({ skill: found.skill.id, hash: found.hash });
      };
      return createRuntime({ ...life, agents: { agent } });
    },
    input: null,
    ends: { stop: 'done' },
  };
  const report = await exercise(scenario, { engine: memoryEngine });
  assertSame(report);
  expect(report.plays).toBeGreaterThan(10);
});
