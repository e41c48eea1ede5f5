import { Agent, request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { virtualClock } from '../virtual-clock.js';
import { type ModelServer, modelServer } from './model-server.js';
import type { ServerScript } from './server-script.js';

const REPLY = {
  text: 'Grüße there.',
  reasoning: 'Hm.',
  toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
  usage: { input: 20, output: 7, cacheRead: 5 },
};

/** How a client of each format asks for a reply, in one piece and streamed. */
const FORMATS = [
  ['openai-chat', '/v1/chat/completions', '/v1/chat/completions'],
  ['openai-responses', '/v1/responses', '/v1/responses'],
  ['anthropic', '/v1/messages', '/v1/messages'],
  ['gemini', '/v1beta/models/g:generateContent', '/v1beta/models/g:streamGenerateContent?alt=sse'],
  ['ollama', '/api/chat', '/api/chat'],
] as const;

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function opened(replies: ServerScript, options: { clock?: ReturnType<typeof virtualClock> } = {}) {
  const server = await modelServer({ replies, models: ['small', 'large'], ...options });
  open.push(server);
  return server;
}

function post(server: ModelServer, path: string, body: unknown = { model: 'm', messages: [] }): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
}

/** The values of a stream, whichever way it is framed. */
function valuesIn(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a model server', () => {
  it.each(FORMATS)('speaks %s, in one piece and streamed [R3-MODEL-SERVER]', async (format, whole, streamed) => {
    const server = await opened([REPLY, REPLY]);
    const answer = await post(server, whole, { model: 'm', stream: false });
    expect(answer.headers.get('content-type')).toBe('application/json');
    const body = await answer.text();
    const stream = await post(server, streamed, { model: 'm', stream: true, stream_options: { include_usage: true } });
    expect(stream.headers.get('content-type')).toMatch(format === 'ollama' ? /x-ndjson/ : /text\/event-stream/);
    const parts = valuesIn(await stream.text());
    expect(parts.length).toBeGreaterThan(3);
    for (const said of [body, JSON.stringify(parts)]) {
      expect(said).toContain('Grüße');
      expect(said).toContain('Hm.');
      expect(said).toMatch(/"name":"add"/);
      expect(said).toMatch(/:(20|15)\b/); // Anthropic counts cached tokens beside the others
    }
    expect(server.requests.map((request) => [request.format, request.stream])).toEqual([
      [format, false],
      [format, true],
    ]);
    server.assertFinished();
  });

  it('records what it was sent, in the words of the model port [R3-MODEL-SERVER]', async () => {
    const server = await opened(['Hi.']);
    const body = {
      model: 'gpt',
      messages: [
        { role: 'developer', content: 'Rules.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] },
      ],
      tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'add' } },
      max_completion_tokens: 5,
      stop: 'END',
    };
    await post(server, '/v1/chat/completions?x=1', body);
    expect(server.requestAt(1)).toMatchObject({
      n: 1,
      path: '/v1/chat/completions?x=1',
      model: 'gpt',
      messages: [
        { role: 'system', content: 'Rules.' },
        { role: 'user', content: 'Hello', cache: true },
      ],
      tools: [{ name: 'add', description: 'Adds.', input: { type: 'object' } }],
      toolChoice: { tool: 'add' },
      sampling: { maxOutputTokens: 5, stop: ['END'] },
      body,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      clientWentAway: false,
    });
    expect(() => server.requestAt(2)).toThrow(/there is no 2/);
  });

  it('answers each request from a list in order, or all of them from a function of the request', async () => {
    const listed = await opened(['one', ({ model }) => `asked ${model}`]);
    const text = async (server: ModelServer) =>
      (
        (await (await post(server, '/api/chat', { model: 'm', stream: false })).json()) as {
          message: { content: string };
        }
      ).message.content;
    expect([await text(listed), await text(listed)]).toEqual(['one', 'asked m']);
    const free = await opened((_, n) => `number ${n}`);
    expect([await text(free), await text(free)]).toEqual(['number 1', 'number 2']);
    free.assertFinished();
  });

  it('fails loudly when its script runs dry, is left over or breaks', async () => {
    const dry = await opened([]);
    const answer = await post(dry, '/v1/messages');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('run dry');
    expect(() => dry.assertFinished()).toThrow(/run dry/);
    const left = await opened(['never asked for']);
    expect(() => left.assertFinished()).toThrow(/left over: reply 1: "never asked for"/);
    const broken = await opened(() => {
      throw new Error('a bug in the script');
    });
    expect(await (await post(broken, '/api/chat')).text()).toContain('a bug in the script');
    expect(() => broken.assertFinished()).toThrow(/a bug in the script/);
  });

  it('lists its models, and knows no other path', async () => {
    const server = await opened([]);
    const get = async (path: string) => (await fetch(server.url + path)).json();
    expect(await get('/v1/models')).toMatchObject({ object: 'list', data: [{ id: 'small' }, { id: 'large' }] });
    expect(await get('/v1beta/models')).toMatchObject({ models: [{ name: 'models/small' }, { name: 'models/large' }] });
    expect(await get('/api/tags')).toMatchObject({ models: [{ name: 'small' }, { name: 'large' }] });
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    expect((await post(server, '/v1/embeddings')).status).toBe(404);
  });

  it('counts connections and tells which request came over which', async () => {
    const server = await opened(['a', 'b', 'c']);
    const over = (agent: Agent) =>
      new Promise<void>((done) => {
        const call = httpRequest(`${server.url}/api/chat`, { method: 'POST', agent }, (response) => {
          response.resume().once('end', done);
        });
        call.end('{}');
      });
    const kept = new Agent({ keepAlive: true });
    for (const agent of [kept, kept, new Agent()]) await over(agent);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(server.connections).toBe(2);
  });

  it('holds a reply back until its gate opens, or for as long as its clock says', async () => {
    const clock = virtualClock();
    let openGate = (): void => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const server = await opened(
      [
        { text: 'one', gate },
        { text: 'two', latencyMs: 60_000 },
      ],
      { clock },
    );
    const order: string[] = [];
    const first = post(server, '/api/chat').then(() => order.push('one'));
    await server.reached(1);
    order.push('gate');
    openGate();
    await first;
    const second = post(server, '/api/chat').then(() => order.push('two'));
    await server.reached(2);
    while (clock.pending().length === 0) await clock.advance(0);
    order.push('clock');
    await clock.advance(60_000);
    await second;
    expect(order).toEqual(['gate', 'one', 'clock', 'two']);
  });
});

describe('a model server that misbehaves [R3-MODEL-SERVER-MISBEHAVES]', () => {
  describe.each(FORMATS)('as %s', (format, whole, streamed) => {
    const ask = (server: ModelServer, stream: boolean) =>
      post(server, stream ? streamed : whole, { model: 'm', stream });

    it.each([
      [{ misbehave: '429', retryAfter: 3 }, 429, '3'],
      [{ misbehave: '429', retryAfter: new Date('2026-01-01T00:00:00Z') }, 429, 'Thu, 01 Jan 2026 00:00:00 GMT'],
      [{ misbehave: '500' }, 500, null],
      [{ misbehave: '503' }, 503, null],
      [{ misbehave: 'context-length' }, 400, null],
      [{ refuse: { status: 418, message: 'A teapot.' } }, 418, null],
    ] as const)('refuses: %j', async (reply, status, wait) => {
      const server = await opened([reply, reply]);
      for (const stream of [false, true]) {
        const answer = await ask(server, stream);
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, wait]);
        const { error } = (await answer.json()) as { error: unknown };
        expect(error).toBeTruthy();
      }
    });

    it.each([false, true])('dribbles its bytes, streamed: %s', async (stream) => {
      const server = await opened([{ ...REPLY, misbehave: 'slow' }, REPLY]);
      const slow = await (await ask(server, stream)).text();
      const quick = await (await ask(server, stream)).text();
      const nameless = (text: string) => text.replaceAll(/(id"|Id"|_id"):"[^"]*"/g, '$1');
      expect(nameless(slow)).toBe(nameless(quick));
    });

    it.each([false, true])('breaks the connection inside a token, streamed: %s', async (stream) => {
      const server = await opened([{ misbehave: 'cut' }]);
      const answer = await ask(server, stream);
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow();
      expect(server.requestAt(1).clientWentAway).toBe(false); // it was not the client
    });

    it.each([false, true])('drops the connection without an answer, streamed: %s', async (stream) => {
      await expect(ask(await opened([{ misbehave: 'drop' }]), stream)).rejects.toThrow();
    });

    it('ends a stream in good order without its end', async () => {
      const server = await opened([{ misbehave: 'ends-early' }, {}]);
      const early = await (await ask(server, true)).text();
      expect(valuesIn(early).length).toBeGreaterThan(0);
      expect(early).not.toMatch(/\[DONE\]|message_stop|response\.completed|finishReason|"done":true/);
    });

    it.each([false, true])('sends JSON that breaks off, streamed: %s', async (stream) => {
      const answer = await ask(await opened([{ misbehave: 'malformed-json' }]), stream);
      const text = await answer.text();
      expect(() => (stream ? valuesIn(text) : JSON.parse(text))).toThrow();
    });

    it.each([false, true])('sends a page instead, streamed: %s', async (stream) => {
      const answer = await ask(await opened([{ misbehave: 'wrong-content-type' }]), stream);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await answer.text()).toMatch(/^<!doctype html>/);
    });

    it.each([false, true])('adds fields that nobody knows, but none to arguments, streamed: %s', async (stream) => {
      const text = await (await ask(await opened([{ ...REPLY, misbehave: 'unknown-fields' }]), stream)).text();
      expect(text.match(/x_unknown/g)?.length).toBeGreaterThan(2);
      expect(text).not.toMatch(/"a":1,"x_unknown"/);
      if (stream && format !== 'ollama') expect(text).toMatch(/^: keep-alive\n/);
    });
  });

  it('hangs until the client goes away, and notices that it did', async () => {
    const server = await opened([{ misbehave: 'hang' }]);
    const stop = new AbortController();
    const call = fetch(`${server.url}/api/chat`, { method: 'POST', body: '{}', signal: stop.signal });
    const { n } = await server.reached(1);
    expect(server.requestAt(n).clientWentAway).toBe(false);
    stop.abort();
    await expect(call).rejects.toThrow();
    await server.abandoned(n);
    expect(server.requestAt(n).clientWentAway).toBe(true);
  });

  it('holds a slow answer at half of its bytes until the gate opens', async () => {
    let openGate = (): void => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const server = await opened([{ text: 'word '.repeat(50), misbehave: 'slow', gate }]);
    let bytes = 0;
    const { first, all } = await new Promise<{ first: number; all: Promise<number> }>((resolve) => {
      const call = httpRequest(`${server.url}/v1/chat/completions`, { method: 'POST' }, (response) => {
        const ended = new Promise<number>((done) => response.on('end', () => done(bytes)));
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > 200) resolve({ first: bytes, all: ended });
        });
      });
      call.end('{}');
    });
    openGate();
    expect(await all).toBeGreaterThan(first * 1.5);
  });

  it('closes with requests hanging, and calls nobody gone for it', async () => {
    const server = await modelServer({ replies: [{ misbehave: 'hang' }] });
    const call = post(server, '/api/chat').catch((error: unknown) => error);
    await server.reached(1);
    await server.close();
    expect(await call).toBeInstanceOf(Error);
    expect(server.requestAt(1).clientWentAway).toBe(false);
    await server.close(); // a second time changes nothing
  });
});
