import { type Agents, budget, createRuntime, done, type Run } from 'flyball';
import { testHost } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped runtimes on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('runtimes that share a PostgreSQL, by its clock', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());

  const made: string[] = [];
  const agents = {
    asks: async (run: Run, input: unknown) => {
      await run.step('before', input, () => made.push(`${run.id} before`), 'idempotent');
      const answer = await run.wait({ name: 'go' });
      await run.step('after', input, () => made.push(`${run.id} after`), 'idempotent');
      return done(answer);
    },
  } satisfies Agents;

  /** A process of its own, as far as the database can tell. Nobody can prove it gone. */
  async function process(name: string, schema: string, own: Agents = agents) {
    const engine = await open(server.url, { schema, leaseClock: 'database' });
    const runtime = createRuntime({
      engine,
      agents: own,
      host: testHost(name),
      options: { leaseMs: 600, pollMs: 100, suspendAfterMs: 20 },
    });
    onTestFinished(async () => {
      runtime.abandon();
      await engine.close();
    });
    return { engine, runtime };
  }

  it('go on with runs of each other: what is said on one is heard on the other, once [R10-PG-WORKERS]', async () => {
    const schema = freshSchema();
    const [here, there] = [await process('here', schema), await process('there', schema)];
    made.length = 0;
    const ids = Array.from({ length: 20 }, (_, n) => `run-${n}`);
    for (const id of ids) await here.runtime.start('asks', null, { id, budget: budget({}) });
    for (const id of ids) expect(await here.runtime.handle(id).outcome()).toMatchObject({ stop: 'suspended' });
    const ended = ids.map((id) => here.runtime.handle(id).finished());
    for (const id of ids) await there.runtime.signal(id, 'go', id);
    expect(await Promise.all(ended)).toMatchObject(ids.map((id) => ({ stop: 'done', value: id })));
    expect([...made].sort()).toEqual(ids.flatMap((id) => [`${id} after`, `${id} before`]).sort());
  });

  it('take over from one that gives no sign of life any more [R10-PG-WORKERS]', async () => {
    const schema = freshSchema();
    const agent = (work: () => Promise<string>) => async (run: Run) =>
      done(await run.step('work', null, work, 'idempotent'));
    const first = await process('first', schema, { agent: agent(() => new Promise(() => undefined)) });
    await first.runtime.start('agent', null, { id: 'run', budget: budget({}) });
    await expect.poll(() => first.engine.get('run').then((record) => record?.status)).toBe('running');
    first.runtime.abandon(); // as a machine that is off
    const second = await process('second', schema, { agent: agent(async () => 'taken over') });
    expect(await second.runtime.handle('run').finished()).toMatchObject({ stop: 'done', value: 'taken over' });
  });
});
