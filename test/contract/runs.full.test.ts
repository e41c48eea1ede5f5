import { it } from 'vitest';
import { freshSchema, open, sharedServer, whyNoServer } from '../postgres/server.js';
import { TestRestate, whyNoRestate } from '../restate/server.js';
import { dispatchedBy, placeOn, type Storage } from './places.js';
import { runsContract } from './runs-contract.js';

async function onPostgres(): Promise<Storage> {
  const server = await sharedServer();
  let schema = freshSchema();
  return {
    open: () => open(server.url, { schema, leaseClock: 'database' }),
    fresh: async () => {
      schema = freshSchema();
    },
    remove: () => server.remove(),
  };
}

const why = whyNoServer();
if (why !== undefined) {
  process.stdout.write(`Skipped runs on PostgreSQL: ${why}.\n`);
  it.skip('runs: PostgreSQL', () => undefined);
} else runsContract('PostgreSQL [R10-RUNS-CONTRACT]', async () => placeOn(await onPostgres()));

const whyNot = why ?? whyNoRestate();
if (whyNot !== undefined) {
  process.stdout.write(`Skipped runs on PostgreSQL with Restate: ${whyNot}.\n`);
  it.skip('runs: PostgreSQL with Restate', () => undefined);
} else
  runsContract('PostgreSQL with Restate [R10-RUNS-CONTRACT]', async () => {
    const storage = await onPostgres();
    const restate = await TestRestate.start();
    const called = dispatchedBy(restate);
    return placeOn(
      {
        ...storage,
        fresh: async () => {
          await storage.fresh();
          await called.fresh();
        },
        remove: async () => {
          called.close();
          await restate.remove();
          await storage.remove();
        },
      },
      called.dispatch,
    );
  });
