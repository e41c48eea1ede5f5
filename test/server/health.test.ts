import { expect, it } from 'vitest';
import { serverStage } from './stage-server.js';

it('is alive and ready without a credential, and tells them apart when storage fails [R6-HTTP-HEALTH]', async () => {
  const stage = await serverStage();
  try {
    await stage.keyFor('harbour', ['runs:read']);
    await stage.again();
    expect(await stage.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'alive' } });
    expect(await stage.call('GET', '/ready')).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
    const { store } = stage.server.parts;
    const { propose } = store;
    Object.assign(store, { propose: () => Promise.reject(new Error('the disk at /secret/place is full')) });
    await expect.poll(async () => (await stage.call('GET', '/ready')).status, { timeout: 3_000 }).toBe(503);
    const refused = await stage.call('GET', '/ready');
    expect(refused.body).toEqual({ ready: false, reasons: ['storage cannot be written'] });
    expect(refused.text).not.toContain('secret');
    expect(stage.logged.some(({ what }) => what === 'storage cannot be written')).toBe(true);
    expect((await stage.call('GET', '/health')).status).toBe(200);
    Object.assign(store, { propose });
    const { engine } = stage;
    const { list } = engine;
    Object.assign(engine, { list: () => new Promise(() => undefined) });
    await expect
      .poll(async () => (await stage.call('GET', '/ready')).body.reasons, { timeout: 6_000 })
      .toEqual(['storage cannot be read']);
    Object.assign(engine, { list });
    await expect.poll(async () => (await stage.call('GET', '/ready')).status, { timeout: 3_000 }).toBe(200);
  } finally {
    await stage.close();
  }
});

it('leaves nothing behind in the store', async () => {
  const stage = await serverStage();
  try {
    await stage.call('GET', '/ready');
    const at = { tenant: '~server', owner: 'server', collection: 'readiness', key: 'probe' };
    expect(await stage.server.parts.store.history(at)).toEqual([]);
  } finally {
    await stage.close();
  }
});
