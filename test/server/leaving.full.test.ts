import { systemClock } from 'flyball';
import { afterEach, describe, expect, it } from 'vitest';
import { readEvents } from './sse-reader.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

describe('a server on its way down', () => {
  it('says that it is not ready while it still serves, for as long as it was told [F-O5]', async () => {
    let pass: () => void = () => undefined;
    const clock = systemClock();
    const held = {
      ...clock,
      after: (ms: number, work: () => void, how?: { readonly keepAlive?: boolean }) => {
        if (ms !== 7_777_000) return clock.after(ms, work, how);
        pass = work;
        return () => undefined;
      },
    };
    stage = await serverStage({ clock: held, settings: { shutdownDelayMs: 7_777_000 } });
    expect((await stage.call('GET', '/ready')).status).toBe(200);
    const closed = stage.server.close();
    expect(await stage.call('GET', '/ready')).toMatchObject({
      status: 503,
      body: { ready: false, reasons: ['it is shutting down'] },
    });
    expect((await stage.call('GET', '/health')).status).toBe(200);
    // whoever has not noticed yet is served as before
    const { status, body } = await stage.call('POST', '/v1/runs', { body: { agent: 'counter', input: { to: 1 } } });
    expect(status).toBe(202);
    await expect.poll(async () => (await stage?.call('GET', `/v1/runs/${body.id}`))?.body.status).toBe('done');
    pass();
    await closed;
    await expect(stage.call('GET', '/ready')).rejects.toThrow();
  });

  it('takes no more work while its runs come to a safe point, and tells what they do until then [F-O5] [R8-TRIAL-O8] [R8-REST-ALERT]', async () => {
    stage = await serverStage({ settings: { drainMs: 20_000 } });
    const { id } = (
      await stage.call('POST', '/v1/runs', { body: { agent: 'counter', input: { to: 2, pauseMs: 1_500 } } })
    ).body;
    const reader = await readEvents(`${stage.url}/v1/runs/${id}/events`);
    const seen: string[] = [];
    const reading = (async () => {
      for (let event = await reader.next(); event !== undefined; event = await reader.next())
        seen.push(JSON.stringify(event));
    })();
    await expect.poll(() => seen.join()).toContain('attempt-start');
    const closed = stage.server.close();
    await expect.poll(async () => (await stage?.call('GET', '/ready'))?.status).toBe(503);
    const refused = await stage.call('POST', '/v1/runs', { body: { agent: 'waiter' } });
    expect(refused).toMatchObject({ status: 503, body: { retryable: true } });
    expect(stage?.logged.filter(({ level }) => level === 'error')).toEqual([]); // an orderly refusal
    expect(refused.headers.get('retry-after')).toBe('1');
    // /ready and the refusal
    expect((await stage.call('GET', '/metrics')).text).toMatch(/^flyball_http_requests_stopping_total [2-9]\d*$/m);
    expect((await stage.call('GET', `/v1/runs/${id}`)).status).toBe(200);
    await closed;
    await reading;
    expect(seen.join()).toContain('"complete"'); // the step that was under way, written while it shut down
    expect((await stage.engine.list({})).runs.map((run) => [run.id, run.status])).toEqual([[id, 'pending']]);
  });
});
