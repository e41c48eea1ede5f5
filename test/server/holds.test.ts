import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage();
});
afterAll(() => stage.close());

it('a legal hold is set and cleared over HTTP, by administrators, and is in the log of operations [R8-OPS-HOLD]', async () => {
  const admin = await stage.keyFor('harbor', ['admin'], { subject: 'counsel' });
  const other = await stage.keyFor('harbor', ['runs:control', 'runs:read', 'agents:invoke']);
  const stranger = await stage.keyFor('elsewhere', ['admin']);
  await stage.again();
  const body = { agent: 'counter', input: { to: 1 } };
  const { id } = (await stage.call('POST', '/v1/runs', { key: other, body })).body;
  await expect.poll(async () => (await stage.call('GET', `/v1/runs/${id}`, { key: other })).body.status).toBe('done');
  const say = (verb: string, key: string, why = 'case 7') =>
    stage.call('POST', `/v1/runs/${id}/${verb}`, { key, body: { why } });
  expect((await say('hold', other)).status).toBe(403);
  expect((await say('hold', stranger)).status).toBe(404);
  expect(await say('hold', admin)).toMatchObject({ status: 200, body: { held: true, by: 'counsel', why: 'case 7' } });
  expect((await stage.call('GET', `/v1/runs/${id}`, { key: other })).body.hold).toMatchObject({ by: 'counsel' });
  const endedAt = (await stage.engine.get(id))?.updatedAt ?? 0;
  const tombstone = { agent: 'a', tenant: 't', status: 'done', createdAt: 0, endedAt, digests: [], head: '' };
  const remove = () => stage.engine.remove(id, { at: 1, by: 'x', action: 'prune', of: id, tombstone });
  await expect(remove()).rejects.toMatchObject({ code: 'RUN_KEPT' });
  expect(await say('release', admin, 'closed')).toMatchObject({ status: 200, body: { held: false } });
  const log = await stage.engine.operations(id);
  expect(log.map(({ action, by, why }) => [action, by, why])).toEqual([
    ['hold', 'counsel', 'case 7'],
    ['release', 'counsel', 'closed'],
  ]);
  await remove();
  expect((await stage.call('GET', `/v1/runs/${id}`, { key: other })).status).toBe(404);
});
