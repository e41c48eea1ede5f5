import { engineContract, storeContract } from 'flyball/testing';
import { afterAll, describe, it } from 'vitest';
import { freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) {
  process.stdout.write(`Skipped the contract on PostgreSQL: ${why}.\n`);
  it.skip('engine contract: postgres', () => undefined);
} else {
  const server = await sharedServer();
  afterAll(() => server.remove());

  engineContract({ describe, it }, 'postgres [R10-PG-CONTRACT]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema });
    return { engine, reopen: () => open(server.url, { schema }), close: () => engine.close() };
  });

  storeContract({ describe, it }, 'postgres [R10-PG-CONTRACT]', async () => {
    const engine = await open(server.url, { schema: freshSchema() });
    return { store: engine.store, close: () => engine.close() };
  });
}
