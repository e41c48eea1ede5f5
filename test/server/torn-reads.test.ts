import { done, type Engine, memoryEngine, memoryStore, type Run } from 'flyball';
import { expect, it } from 'vitest';
import { gate } from '../runtime/stage.js';
import { serverStage } from './stage-server.js';

it('says that a run is done together with its outcome, also where it ends while it is read [R18-SEEN-WHOLE]', async () => {
  const inner = memoryEngine();
  const [reached, goOn] = [gate<void>(), gate<void>()];
  let isSlow = false;
  const engine: Engine = {
    ...inner,
    read: async (...asked) => {
      const entries = await inner.read(...asked);
      if (isSlow) {
        isSlow = false;
        reached.open(undefined);
        await goOn.opened;
      }
      return entries;
    },
  };
  const nap = async (run: Run) => done(await run.wait({ name: 'go' }));
  const stage = await serverStage({ engine, store: memoryStore(), groups: [{ agents: { nap } }] });
  try {
    const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'nap', input: {} } })).body;
    const read = () => stage.call('GET', `/v1/runs/${id}`);
    await expect.poll(async () => (await read()).body.waiting).toEqual(['go']);
    isSlow = true;
    const during = read();
    await reached.opened;
    await stage.call('POST', `/v1/runs/${id}/signal`, { body: { name: 'go', payload: 7 } });
    await expect.poll(async () => (await inner.get(id))?.status).toBe('done');
    goOn.open(undefined);
    const { body } = await during;
    expect([body.status === 'done', body.outcome?.value === 7]).toEqual([false, false]);
    expect((await read()).body).toMatchObject({ status: 'done', outcome: { stop: 'done', value: 7 } });
  } finally {
    await stage.close();
  }
});
