import { engineContract, storeContract } from 'flyball/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { LIKE_COCKROACH, LIKE_YUGABYTE, lacking } from './lacking.js';
import { newRun, START } from './runs.js';
import { freshSchema, open, startServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests need a server of their own');
if (why !== undefined) {
  process.stdout.write(`Skipped databases that lack something of PostgreSQL: ${why}.\n`);
  it.skip('engine contract: a database that lacks something', () => undefined);
} else {
  const server = await startServer();
  afterAll(() => server.remove());
  for (const [name, lacks] of [
    ['CockroachDB', LIKE_COCKROACH],
    ['YugabyteDB', LIKE_YUGABYTE],
  ] as const) {
    const proxy = await lacking(server.port, lacks);
    afterAll(() => proxy.close());
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);

    describe(`a PostgreSQL that lacks what ${name} lacks`, () => {
      it('is opened, says what it is, and is used without what it lacks [R10-PG-COMPATIBLE]', async () => {
        const notices: string[] = [];
        const engine = await open(url, { schema: freshSchema(), onNotice: (text) => notices.push(text) });
        expect(notices).toEqual([expect.stringContaining('has not been tested on it')]);
        await engine.create(newRun('a'));
        expect((await engine.list({})).runs).toHaveLength(1);
        expect((await engine.size()).bytes).toBeGreaterThan(0);
        const heard: (string | undefined)[] = [];
        engine.watch((runId) => heard.push(runId));
        await engine.post('a', { id: 'm', kind: 'signal', name: 'go', from: 'rita', at: START, body: '1' });
        expect(heard).toContain('a');
        // each of them was asked for, but for the number of a version, which says nothing here, and for messages, which
        // nobody sends once it is known that nobody can listen
        const isCertain = (says: string): boolean => !/server_version_num|pg_notify/.test(says);
        const expected = lacks.map(({ says }) => says.source).filter(isCertain);
        const lacked = () => [...proxy.lacked].filter(isCertain).sort();
        await expect.poll(lacked, { timeout: patient(10_000) }).toEqual(expected.sort());
        await engine.close();
      });
    });

    const opened = async () => {
      const schema = freshSchema();
      const engine = await open(url, { schema });
      return { engine, reopen: () => open(url, { schema }), close: () => engine.close() };
    };
    engineContract({ describe, it }, `what ${name} has of PostgreSQL [R10-PG-COMPATIBLE]`, opened);
    storeContract({ describe, it }, `what ${name} has of PostgreSQL [R10-PG-COMPATIBLE]`, async () => {
      const engine = await open(url, { schema: freshSchema() });
      return { store: engine.store, close: () => engine.close() };
    });
  }
}
