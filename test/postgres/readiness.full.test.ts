import { openServer } from '@flyball/server';
import { done } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { open, startServer, type TestServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'a server that is given cannot be killed');
if (why !== undefined) process.stdout.write(`Skipped readiness on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('a server on PostgreSQL', () => {
  let database: TestServer;
  beforeAll(async () => {
    database = await startServer();
  });
  afterAll(() => database?.remove());

  it('is not ready while its database does not answer, stays alive, and comes back by itself [R10-WORK-HEALTH]', async () => {
    const engine = await open(database.url, { leaseClock: 'database', patienceMs: 1_000 });
    const server = await openServer({
      engine,
      groups: [{ agents: { quick: async () => done(1) } }],
      settings: { port: 0, drainMs: 100 },
    });
    const status = async (path: string) => (await fetch(server.url + path)).status;
    const soon = { timeout: patient(30_000), interval: 200 };
    try {
      expect(await status('/ready')).toBe(200);
      database.kill();
      await expect.poll(() => status('/ready'), soon).toBe(503);
      expect(await status('/health')).toBe(200);
      database.start();
      await expect.poll(() => status('/ready'), soon).toBe(200);
    } finally {
      await server.close();
      await engine.close();
    }
  });
});
