import { budget, createRuntime, done, type Run } from 'flyball';
import { ledgerServer } from 'flyball/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { balancer } from '../../bench/measure/balancer.js';
import { type RestateOptions, restateDispatcher } from '../../packages/restate/src/index.js';
import { freePort, freshSchema, open, sharedServer, whyNoServer } from '../postgres/server.js';
import { TestRestate, whyNoRestate } from './server.js';
import { Stage } from './stage.js';
import { WorkProcesses } from './work-processes.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped workers without a load balancer: ${why}.\n`);

describe.skipIf(why !== undefined)('workers without a load balancer', () => {
  const closing: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('say which of them Restate calls, also the one that it no longer calls [R19-RESTATE-UNBALANCED]', async () => {
    const stage = await Stage.open();
    closing.push(() => stage.remove());
    await stage.fresh();
    const agents = { quick: async (run: Run) => done(await run.step('work', null, () => 'worked', 'idempotent')) };
    const at = async (): Promise<Partial<RestateOptions> & { readonly address: string }> => {
      const port = await freePort();
      return { listen: `127.0.0.1:${port}`, address: `http://127.0.0.1:${port}`, sweepMs: 400 };
    };
    const [first, second] = [await at(), await at()];
    const one = await stage.worker(agents, { restate: first });
    expect(one.problems).toEqual([]);
    const two = await stage.worker(agents, { restate: second });
    const told = `Restate now calls only the worker at ${second.address}, and not the one at ${first.address}.`;
    await expect.poll(() => two.problems.join()).toContain(told);
    await expect.poll(() => one.problems.join()).toContain(told);
    expect(one.problems.join()).toContain('Set the same address on every worker');
    await two.close();
    await expect.poll(() => one.problems.join()).toContain(`It now calls the one at ${first.address} instead`);
    const handle = await one.runtime.start('quick', null, { budget: budget({}) });
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: 'worked' });
    expect(one.problems).toHaveLength(2);
  });

  it('take the place of one that died, and continue its runs [R19-RESTATE-UNBALANCED]', async () => {
    const postgres = await sharedServer();
    closing.push(() => postgres.remove());
    const restate = await TestRestate.start();
    closing.push(() => restate.remove());
    const ledger = await ledgerServer();
    closing.push(() => ledger.close());
    const unused = await balancer();
    closing.push(() => unused.close());
    const schema = freshSchema();
    const at = { url: restate.urls, admin: restate.admins };
    const given = { url: postgres.url, schema, ledger: ledger.url, restate: { ...at, sweepMs: 1_000 } };
    const workers = new WorkProcesses(given, unused);
    closing.push(() => workers.close());
    await workers.raise('direct');
    const called = await workers.raise('direct');
    const engine = await open(postgres.url, { schema, leaseClock: 'database' });
    closing.push(() => engine.close());
    const onProblem = () => undefined;
    const dispatcher = restateDispatcher({ ...at, onProblem });
    closing.push(() => dispatcher.close());
    const agents = { walk: async () => done(null) };
    const desk = createRuntime({ engine, agents, dispatcher, options: { worker: 'elsewhere', pollMs: 50 }, onProblem });
    closing.push(() => desk.close());
    const handle = await desk.start('walk', { steps: 20, ms: 100 }, { id: 'run', budget: budget({ toolCalls: 1e6 }) });
    await expect.poll(async () => (await desk.get('run')).owner?.pid).toBe(called);
    await workers.kill(called);
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: 20 });
  });
});
