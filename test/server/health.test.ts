import { virtualClock } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../packages/server/src/log.js';
import { healthRoutes } from '../../packages/server/src/routes/health.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { serverStage } from './stage-server.js';

it('is alive and ready without a credential, and tells them apart when storage fails [R6-HTTP-HEALTH]', async () => {
  const stage = await serverStage();
  try {
    await stage.keyFor('harbor', ['runs:read']);
    await stage.again();
    expect(await stage.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'alive' } });
    expect(await stage.call('GET', '/ready')).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
    const { store } = stage.server.parts;
    const { propose } = store;
    Object.assign(store, { propose: () => Promise.reject(new Error('the disk at /secret/place is full')) });
    await expect.poll(async () => (await stage.call('GET', '/ready')).status).toBe(503);
    const refused = await stage.call('GET', '/ready');
    expect(refused.body).toEqual({ ready: false, reasons: ['storage cannot be written'] });
    expect(refused.text).not.toContain('secret');
    expect(stage.logged.some(({ what }) => what === 'storage cannot be written')).toBe(true);
    expect((await stage.call('GET', '/health')).status).toBe(200);
    Object.assign(store, { propose });
    await expect.poll(async () => (await stage.call('GET', '/ready')).status).toBe(200);
  } finally {
    await stage.close();
  }
});

it('is not ready when storage does not answer in time, or while it shuts down', async () => {
  const clock = virtualClock();
  const leaving = new AbortController();
  const [, ready] = healthRoutes({
    engine: { list: () => new Promise(() => undefined) },
    store: { get: async () => undefined, propose: async () => ({ version: 1 }), drop: async () => undefined },
    clock,
    log: SILENT,
    settings: DEFAULT_SETTINGS,
    isCallable: () => true,
    phases: { leaving: leaving.signal },
  } as never);
  const asked = Promise.resolve(ready?.handle({} as never));
  await clock.advance(2_000);
  expect(await asked).toMatchObject({ status: 503, body: { reasons: ['storage cannot be read'] } });
  leaving.abort();
  expect(await ready?.handle({} as never)).toMatchObject({ status: 503, body: { reasons: ['it is shutting down'] } });
});

it('is not ready until the dispatcher has accepted it, unless it works on nothing [R10-RESTATE-READY]', async () => {
  let isCallable = false;
  const dispatcher = { dispatch: async () => undefined, isCallable: () => isCallable };
  const stage = await serverStage({ dispatcher });
  const api = await serverStage({ dispatcher, settings: { role: 'api' } });
  onTestFinished(async () => {
    await stage.close();
    await api.close();
  });
  expect(await stage.call('GET', '/ready')).toMatchObject({
    status: 503,
    body: { ready: false, reasons: ['the dispatcher has not accepted this worker yet'] },
  });
  expect((await api.call('GET', '/ready')).status).toBe(200);
  isCallable = true;
  expect((await stage.call('GET', '/ready')).status).toBe(200);
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
