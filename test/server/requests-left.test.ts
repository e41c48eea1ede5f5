import { EventEmitter, getEventListeners, once } from 'node:events';
import { connect } from 'node:net';
import { openServer } from '@flyball/server';
import type { HttpBindings } from '@hono/node-server';
import { type Agent, done } from 'flyball';
import { tool, toolRegistry } from 'flyball/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from '../../packages/server/src/app.js';
import { route } from '../../packages/server/src/contract/route.js';
import { SILENT } from '../../packages/server/src/log.js';
import type { PipelineParts } from '../../packages/server/src/pipeline.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { openWire } from '../../packages/server/src/wire.js';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

/** What requests leave behind when their clients go away, when they are odd, and when the server ends. */
let stage: ServerStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});
const open = async (options: Parameters<typeof serverStage>[0] = {}): Promise<ServerStage> => {
  stage = await serverStage(options);
  return stage;
};
const eventually = <T>(look: () => T) => expect.poll(look);
const listeners = ({ server }: ServerStage): number => getEventListeners(server.parts.phases.closing, 'abort').length;

describe('a client that goes away', () => {
  it('leaves its run at work and nothing else [R6-HTTP-INVOKE]', async () => {
    const here = await open();
    const before = listeners(here);
    const control = new AbortController();
    const gone = fetch(`${here.url}/v1/agents/counter/invoke`, {
      method: 'POST',
      signal: control.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: { to: 3, pauseMs: 100 } }),
    }).catch(() => 'gone');
    await eventually(async () => (await here.call('GET', '/v1/runs')).body.runs).toHaveLength(1);
    control.abort();
    expect(await gone).toBe('gone');
    await eventually(async () => (await here.call('GET', '/v1/runs')).body.runs[0].status).toBe('done');
    await eventually(() => listeners(here)).toBe(before);
  });

  it('before its stream began leaves no stream open [R6-HTTP-EVENTS]', async () => {
    const here = await open({ settings: { maxStreams: 3 } });
    const before = listeners(here);
    const { port } = here.server;
    for (let n = 0; n < 6; n++) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
      socket.destroy();
    }
    await eventually(() => here.logged.filter(({ fields }) => fields['route'] === 'followRuns').length).toBe(6);
    await eventually(() => listeners(here)).toBe(before);
    const stream = await fetch(`${here.url}/v1/events`);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it('while its credential was looked up is forgotten with everything about its request [R6-HTTP-EVENTS]', async () => {
    let looks = 0;
    const closing = new AbortController();
    const gate = {
      enter: () => ({ headers: {} }),
      who: async () => {
        looks++;
        return { id: 'a', kind: 'local', tenant: 't', subject: 'a', scopes: ['*'], limits: {} } as const;
      },
      within: () => ({}),
    } as unknown as PipelineParts['gate'];
    const parts: PipelineParts = {
      gate,
      settings: { ...DEFAULT_SETTINGS, heartbeatMs: 2 },
      check: async () => undefined,
      log: SILENT,
      monotonic: () => 0,
      phases: { leaving: closing.signal, closing: closing.signal, ending: closing.signal },
      observe: () => undefined,
      wire: openWire([]),
    };
    const about = { method: 'get', tag: 't', summary: '', scope: 'any', answers: {}, examples: [] } as const;
    const handle = (): Response => new Response('');
    const streaming = route({ ...about, id: 's', path: '/s', streams: true, handle });
    const plain = route({ ...about, id: 'p', path: '/p', handle });
    const outgoing = Object.assign(new EventEmitter(), { destroyed: true });
    const app = createApp(parts, [streaming, plain], []);
    for (const path of ['/s', '/p'])
      await app.request(path, {}, { outgoing, incoming: { socket: {} } } as unknown as HttpBindings);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(looks).toBe(2);
    expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0);
  });

  it('that only asks for the headers of a stream holds none open [R6-HTTP-EVENTS]', async () => {
    const here = await open({ settings: { maxStreams: 2 } });
    for (let n = 0; n < 5; n++) {
      const head = await fetch(`${here.url}/v1/events`, { method: 'HEAD' });
      expect(head.status).toBe(200);
      await eventually(() => here.server.parts.feed.stats().cardReaders).toBe(0);
    }
    await eventually(() => listeners(here)).toBeLessThan(10);
  });
});

describe('what is said about a failure [R6-HTTP-ERRORS]', () => {
  const secret = 'hunter2-hunter2-hunter2';
  const breaks: Agent<unknown, unknown> = async () => {
    throw new Error('ENOENT: /srv/inside/secret.yaml');
  };
  const leaks: Agent<unknown, unknown> = async () => done(`the password is ${secret}`);
  const leak = tool({
    name: 'leak',
    description: 'Tells too much.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'pure',
    execute: async () => `the password is ${secret}`,
  });

  it('by an invocation is in the words of the run for those who may read runs, and for nobody else', async () => {
    const here = await open({ groups: [{ agents: { breaks } }] });
    const reader = await here.keyFor('house', ['agents:invoke', 'runs:read']);
    const invoker = await here.keyFor('house', ['agents:invoke']);
    const invoked = (key: string) => here.call('POST', '/v1/agents/breaks/invoke', { key, body: { inputs: {} } });
    expect(await invoked(reader)).toMatchObject({ status: 422, body: { because: expect.stringContaining('/srv/') } });
    const { status, text, body } = await invoked(invoker);
    expect([status, body.stop]).toEqual([422, 'failed']);
    expect(text).not.toContain('/srv/');
    expect(body.because).toContain('it failed');
  });

  it('and every other answer has no known secret in it [R6-ACCESS-NO-LEAKS]', async () => {
    const here = await open({
      groups: [{ agents: { leaks }, tools: toolRegistry([leak]) }],
      settings: { secrets: [secret] },
    });
    const invoked = await here.call('POST', '/v1/agents/leaks/invoke', { body: { inputs: {} } });
    const executed = await here.call('POST', '/v1/tools/leak/execute', { body: { args: {} } });
    for (const { status, text } of [invoked, executed]) {
      expect([status, text.includes(secret)]).toEqual([200, false]);
      expect(text).toContain('the password is [');
    }
  });
});

describe('a run that the client names', () => {
  it('is found again by the request that started it, and is no answer to another one [R6-ACCESS-IDEMPOTENCY]', async () => {
    const here = await open();
    const start = (to: number, headers: Readonly<Record<string, string>>) =>
      here.call('POST', '/v1/runs', { body: { agent: 'counter', id: 'nightly', input: { to } }, headers });
    const first = await start(1, { 'idempotency-key': 'night-1' });
    expect(first.status).toBe(202);
    expect(await start(2, { 'idempotency-key': 'night-2' })).toMatchObject({
      status: 409,
      body: { code: 'RUN_EXISTS' },
    });
    const place = { tenant: '~server', owner: 'default', collection: 'idempotency' };
    for (const { key } of (await here.engine.store.query(place)).records)
      await here.engine.store.erase({ ...place, key }, Date.now()); // it died before it kept the answer
    expect((await start(1, { 'idempotency-key': 'night-1' })).body.id).toBe(first.body.id);
  });
});

describe('the document that anybody may read', () => {
  it('names agents and tools only where anybody may see them [R6-ACCESS-NO-LEAKS]', async () => {
    const here = await open();
    const names = async (): Promise<readonly boolean[]> => {
      const texts = [await here.call('GET', '/openapi.json'), await here.call('GET', '/docs')];
      return texts.map(({ text }) => text.includes('desk') || text.includes('tide'));
    };
    expect(await names()).toEqual([true, true]);
    await here.keyFor('house', ['admin']);
    await here.again();
    expect(await names()).toEqual([false, false]);
  });
});

describe('a connection', () => {
  it('takes several requests at once and one after the other, and none with too large headers [R6-ACCESS-LIMITS]', async () => {
    const here = await open();
    const { port } = here.server;
    const asked = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${more}\r\n`;
    const said = async (text: string, until: RegExp): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      socket.write(text);
      let got = '';
      for await (const chunk of socket) {
        got += String(chunk);
        if (until.test(got)) break;
      }
      return got;
    };
    const both = await said(asked('/health') + asked('/v1/agents') + asked('/nowhere'), /"code":"NOT_FOUND"/);
    expect([...both.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)).toEqual(['200', '200', '404']);
    expect(await said(asked('/health', `x-large: ${'x'.repeat(20_000)}\r\n`), /431/)).toContain('HTTP/1.1 431');
    expect((await here.call('GET', '/health')).status).toBe(200);
  });
});

describe('a server', () => {
  it('that cannot open leaves nothing running [R6-CLI-SERVE]', async () => {
    const here = await open();
    const watching = new Set<object>();
    const { engine } = here;
    const counted = {
      ...engine,
      watch: (listener: (runId?: string) => void) => {
        const stop = engine.watch(listener);
        const watch = {};
        watching.add(watch);
        return () => {
          watching.delete(watch);
          stop();
        };
      },
    };
    const given = { engine: counted, store: engine.store, groups: [standardGroup()], settings: { port: 0 } };
    const pem = '-----BEGIN PUBLIC KEY-----\nnone\n-----END PUBLIC KEY-----';
    await expect(openServer({ ...given, jwt: { key: { kind: 'pem', pem } } })).rejects.toThrow('PEM');
    const trigger = { kind: 'cron', name: 't', agent: 'nobody', schedule: '* * * * *' } as const;
    await expect(
      openServer({ ...given, triggers: [{ ...trigger, timezone: 'UTC', input: null, missed: 'skip' }] }),
    ).rejects.toThrow('nobody');
    await expect(openServer({ ...given, settings: { port: here.server.port } })).rejects.toThrow('in use');
    expect(watching.size).toBe(0);
  });

  it('closes within its time with fifty streams and twenty runs open, and closing twice is closing once [R6-HTTP-HEALTH]', async () => {
    const here = await open({ settings: { drainMs: 1_500 } });
    const input = { to: 200, pauseMs: 50 };
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => here.call('POST', '/v1/runs', { body: { agent: 'counter', input } })),
    );
    const reading = Array.from({ length: 50 }, async (_, n) => {
      const answer = await fetch(`${here.url}/v1/runs/${runs[n % 20]?.body.id}/events`);
      return answer.text();
    });
    await eventually(() => here.server.parts.feed.stats().readers).toBe(50);
    await Promise.all([here.server.close(), here.server.close()]);
    const texts = await Promise.all(reading);
    for (const text of texts) expect(text).toContain('event: entry');
    expect(listeners(here)).toBe(0);
    for (const { body } of runs) expect((await here.engine.get(body.id))?.owner).toBeUndefined();
  });
});
