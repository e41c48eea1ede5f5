import { engineContract } from 'flyball/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { proxyTo } from './proxy.js';
import { claimBy, newRun, START } from './runs.js';
import { freshSchema, open, startServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'a proxy stands before a server of its own');
if (why !== undefined) {
  process.stdout.write(`Skipped the contract on PostgreSQL over connections that break: ${why}.\n`);
  it.skip('engine contract: PostgreSQL over connections that break', () => undefined);
} else {
  const server = await startServer();
  afterAll(() => server.remove());

  const opening = (patienceMs: number) => async () => {
    const proxy = await proxyTo(server.port);
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const schema = freshSchema();
    const engine = await open(url, { schema, patienceMs, connections: { writers: 1, readers: 1 } });
    return {
      engine,
      reopen: () => open(server.url, { schema }),
      async lose(what: 'answers' | 'requests', work: () => Promise<void>) {
        proxy.lose(what);
        await work();
        proxy.cut();
      },
      async close() {
        await engine.close();
        await proxy.close();
      },
    };
  };
  /** The rest of the contract has its own file. */
  const part = (name: string, body: () => void) => {
    if (/^engine contract|^broken connections/.test(name)) describe(name, body);
  };
  const finds = 'PostgreSQL that finds out what became of a write [R10-PORT-LOST-ANSWERS]';
  const gives = 'PostgreSQL that gives up while it does not know [R10-PORT-LOST-ANSWERS]';
  engineContract({ describe: part, it }, finds, opening(30_000));
  engineContract({ describe: part, it }, gives, opening(200));

  it('PostgreSQL says that it cannot tell of what operators do to a run, too [R10-PORT-LOST-ANSWERS]', async () => {
    const proxy = await proxyTo(server.port);
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const engine = await open(url, { schema: freshSchema(), patienceMs: 200, connections: { writers: 1, readers: 1 } });
    await engine.create(newRun('a'));
    await engine.release(await claimBy(engine, 'a', 'me'), { status: 'paused', now: START });
    const lost = async (writes: RegExp, call: () => Promise<unknown>): Promise<unknown> => {
      proxy.lose('answers', writes);
      const came = await call().catch((error: unknown) => error);
      proxy.cut();
      return came;
    };
    const uncertain = { code: 'STORAGE_UNCERTAIN', detail: { runId: 'a' } };
    expect(await lost(/\0requeue\0/, () => engine.requeue('a'))).toMatchObject(uncertain);
    expect(await engine.get('a')).toMatchObject({ status: 'pending' });
    const hold = { hold: true, by: 'ann', at: START };
    expect(await lost(/operations \(n/, () => engine.hold('a', hold))).toMatchObject(uncertain);
    expect(await engine.operations('a')).toHaveLength(1);
    await engine.close();
    await proxy.close();
  });
}
