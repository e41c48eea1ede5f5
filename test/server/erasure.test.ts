import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flyball } from '../cli/in-process.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage();
});
afterAll(() => stage.close());

const SECRET = 'my diagnosis is gout';
const inputs = { question: SECRET };
const keyed = (key: string, body: object) => ({ body, headers: { 'idempotency-key': key } });

it('takes the kept answers of erased runs with them, and answers a repeated request with nothing of them [R8-TRIAL-O2]', async () => {
  const talk = (await stage.call('POST', '/v1/conversations', keyed('k-talk', { agent: 'plain', message: SECRET })))
    .body;
  const requests = [
    ['/v1/runs', keyed('k-run', { agent: 'plain', input: inputs })],
    ['/v1/agents/plain/invoke', keyed('k-invoke', { inputs })],
    [`/v1/conversations/${talk.id}/messages`, keyed('k-say', { text: SECRET })],
    [`/v1/conversations/${talk.id}/end`, keyed('k-end', {})],
  ] as const;
  for (const [path, how] of requests) {
    expect((await stage.call('POST', path, how)).text).toContain(SECRET);
    expect((await stage.call('POST', path, how)).headers.get('idempotent-replayed')).toBe('true');
  }
  const kept = await stage.call('POST', '/v1/runs', keyed('k-other', { agent: 'counter', id: 'other' }));
  await expect
    .poll(async () =>
      (await stage.call('GET', '/v1/runs')).body.runs.every((run: { status: string }) => run.status === 'done'),
    )
    .toBe(true);
  const file = join(stage.folder, 'runs.db');
  await stage.call('POST', `/v1/runs/${kept.body.id}/hold`, { body: { why: 'case 7' } });
  const erased = await flyball(['erase', '--subject', 'local', '--yes', '--db', file]);
  expect(erased.code, erased.error).toBe(8); // one is held
  expect(readFileSync(file).toString('latin1')).not.toContain(SECRET);
  expect(readFileSync(`${file}-wal`).toString('latin1')).not.toContain(SECRET);
  for (const [path, how] of requests) {
    const again = await stage.call('POST', path, how);
    expect(again.headers.get('idempotent-replayed'), path).toBeNull();
    expect([404, 409], path).toContain(again.status); // nothing is done twice either
    expect(again.text).not.toContain(SECRET);
  }
  const other = await stage.call('POST', '/v1/runs', keyed('k-other', { agent: 'counter', id: 'other' }));
  expect(other.headers.get('idempotent-replayed')).toBe('true');
  expect((await flyball(['check', '--db', file])).code).toBe(0);
});
