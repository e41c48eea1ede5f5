import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelServer, modelServer, type ServerScript } from '../../testing/index.js';
import { ollamaModel } from './ollama-model.js';
import { openAiModel } from './openai-model.js';
import { how, request } from './requests.test-data.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function opened(replies: ServerScript, options: Partial<Parameters<typeof openAiModel>[0]> = {}) {
  const server = await modelServer({ replies });
  servers.push(server);
  const model = openAiModel({ id: 'test/model', baseUrl: server.baseUrl('openai-chat'), ...options });
  return { server, model };
}

describe('connections', () => {
  it('are kept and used again, also after a failure [R3-OPENAI-CHAT]', async () => {
    const { server, model } = await opened(['one', { misbehave: '500' }, 'two']);
    await model.generate(request(), how);
    await expect(model.generate(request(), how)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    await model.generate(request(), { ...how, onDelta: () => undefined });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  it('are shared by models that share an agent', async () => {
    const agent = new Agent({ keepAlive: true });
    const { server, model } = await opened(['one', 'two'], { agent });
    const other = ollamaModel({ id: 'ollama/other', baseUrl: server.baseUrl('ollama'), agent });
    await model.generate(request(), how);
    await other.generate(request(), how);
    expect(server.connections).toBe(1);
  });

  it('that the server closed for being idle are opened again, without anyone noticing', async () => {
    const agent = new Agent({ keepAlive: true });
    const { server, model } = await opened(['one', 'two'], { agent });
    await model.generate(request(), how);
    server.dropIdle();
    await expect.poll(() => Object.keys(agent.freeSockets).length).toBe(0);
    expect((await model.generate(request(), how)).text).toBe('two');
    expect(server.requests).toHaveLength(2);
  });

  it('that break before an answer are reported, kept ones too: the work may have been done and billed', async () => {
    const { server, model } = await opened([{ misbehave: 'drop' }, 'one', { misbehave: 'drop' }, 'two']);
    const broken = { code: 'MODEL_UNAVAILABLE', retryable: true, detail: { mayHaveCost: true } };
    await expect(model.generate(request(), how)).rejects.toMatchObject(broken);
    await model.generate(request(), how);
    await expect(model.generate(request(), how)).rejects.toMatchObject(broken);
    expect(server.requests).toHaveLength(3); // nothing was sent by itself a second time
    expect((await model.generate(request(), how)).text).toBe('two');
  });

  it('are not opened again for a call that was aborted', async () => {
    const { server, model } = await opened(['one', { misbehave: 'hang' }, 'two']);
    await model.generate(request(), how);
    const stop = new AbortController();
    const call = model.generate(request(), { ...how, signal: stop.signal });
    await server.reached(2);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await server.abandoned(2);
    expect((await model.generate(request(), how)).text).toBe('two');
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it('that break once an answer has begun are never tried again: its parts were told', async () => {
    const { port, received, close } = await resettingServer();
    const model = openAiModel({ id: 'test/model', baseUrl: `http://127.0.0.1:${port}/v1` });
    await model.generate(request(), how);
    const told: unknown[] = [];
    const call = model.generate(request(), { ...how, onDelta: (delta) => told.push(delta) });
    await expect(call).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', detail: { mayHaveCost: true } });
    expect(told).toEqual([{ type: 'text', text: 'Hel' }]);
    expect(received()).toBe(2);
    await close();
  });
});

/** Answers the first request on a connection whole, and resets it in the middle of the second answer. */
async function resettingServer() {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined); // it is reset on purpose
    socket.on('data', () => {
      count += 1;
      if (count === 1) {
        const body = JSON.stringify({ choices: [{ message: { content: 'one' }, finish_reason: 'stop' }] });
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        return;
      }
      const chunk = `data: ${JSON.stringify({ choices: [{ delta: { content: 'Hel' } }] })}\n\n`;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n${chunk}`, () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received: () => count,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('answers', () => {
  it('are streamed when someone listens, unless told otherwise', async () => {
    const { server, model } = await opened(() => 'Hi there.');
    const always = openAiModel({ id: 'test/a', baseUrl: server.baseUrl('openai-chat'), stream: true });
    const never = openAiModel({ id: 'test/n', baseUrl: server.baseUrl('openai-chat'), stream: false });
    const told: unknown[] = [];
    const listening = { ...how, onDelta: (delta: unknown) => told.push(delta) };
    for (const each of [model, always, never]) {
      expect((await each.generate(request(), how)).text).toBe('Hi there.');
      await each.generate(request(), listening);
    }
    expect(server.requests.map(({ stream }) => stream)).toEqual([false, true, true, true, false, false]);
    expect(told.at(-1)).toEqual({ type: 'text', text: 'Hi there.' }); // told in one piece where it came in one
  });

  it.each([
    ['in one piece', how],
    ['streamed', { ...how, onDelta: () => undefined }],
  ])('that are cut before the arguments of a call began leave them empty, %s', async (_way, asked) => {
    const { model } = await opened([{ toolCalls: [{ id: 'c', name: 'add', arguments: '' }], finish: 'length' }]);
    const reply = await model.generate(request(), asked);
    expect(reply).toMatchObject({ finish: 'length', toolCalls: [{ id: 'c', name: 'add', arguments: '' }] });
  });

  it('without a usage are billed for the most that they can have been [R3-PORT-USAGE]', async () => {
    const { server } = await opened(() => ({ text: 'Hi there.' }));
    const model = openAiModel({ id: 'test/m', baseUrl: server.baseUrl('openai-chat'), streamUsage: false });
    const { usage } = await model.generate(request(), { ...how, onDelta: () => undefined });
    expect(usage.input).toBe(model.countTokens(request()));
    expect(usage.output).toBeGreaterThanOrEqual('Hi there.'.length);
  });

  it('that carry an error after all are failures, by the status it names', async () => {
    const answers = [
      { error: { message: 'Provider is down', code: 502 } },
      { error: { message: 'No such model', code: 404 } },
      { error: { message: 'maximum context length is 10' } },
      { error: 'loading' },
      { object: 'list' },
    ];
    const { port, close } = await plainServer(answers.map((value) => JSON.stringify(value)));
    const model = openAiModel({ id: 'test/model', baseUrl: `http://127.0.0.1:${port}/v1` });
    const codes: unknown[] = [];
    for (const _ of answers)
      await model.generate(request(), how).catch((error) => codes.push(error.code, error.message));
    expect(codes).toEqual([
      'MODEL_UNAVAILABLE',
      'test/model answered 502: Provider is down',
      'MODEL_REJECTED',
      'test/model refused the call (404): No such model Check the name of the model and the base URL.',
      'WINDOW_EXCEEDED',
      'test/model cannot take a prompt this long: maximum context length is 10',
      'MODEL_UNAVAILABLE',
      'test/model sent an error instead of a reply: loading',
      'MODEL_UNAVAILABLE',
      'test/model sent JSON that is not a completion: {"object":"list"}',
    ]);
    await close();
  });

  it('say what came when they are no reply', async () => {
    const { model } = await opened([
      { misbehave: 'wrong-content-type' },
      { misbehave: 'malformed-json' },
      { misbehave: 'cut' },
    ]);
    const said: string[] = [];
    for (let n = 0; n < 3; n++) await model.generate(request(), how).catch((error: Error) => said.push(error.message));
    expect(said[0]).toMatch(/text\/html.*Sign in to continue/);
    expect(said[1]).toMatch(/malformed JSON: \{"id":"chatcmpl-2"/);
    expect(said[2]).toMatch(/broke off the connection: \{"id":"chatcmpl-3"/);
    for (const sentence of said) expect(sentence.length).toBeLessThan(400);
  });

  it('of a listener that throws are not lost, and the call fails', async () => {
    const { model } = await opened(['one two three']);
    const onDelta = () => {
      throw new Error('the listener broke');
    };
    await expect(model.generate(request(), { ...how, onDelta })).rejects.toThrow('the listener broke');
  });
});

/** Promises more than it sends, and breaks off. */
async function cutServer(body: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // it is broken off on purpose
    socket.once('data', () =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n${body}`),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

async function plainServer(bodies: readonly string[]) {
  const left = [...bodies];
  const { createServer: createHttp } = await import('node:http');
  const server = createHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(left.shift());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('an address', () => {
  it.each([
    ['gpt-4o', 'http://127.0.0.1/v1', /provider\/model/],
    ['openai/', 'http://127.0.0.1/v1', /provider\/model/],
    ['openai/gpt-4o', 'localhost', /base URL/],
    ['openai/gpt-4o', 'ftp://localhost', /http: or https:/],
  ])('is checked before anything is sent: %s at %s', (id, baseUrl, problem) => {
    expect(() => openAiModel({ id, baseUrl })).toThrow(problem);
  });

  it('keeps its user, password and query, and tells nobody', async () => {
    const { server } = await opened([
      ({ headers, path }) => ({ refuse: { status: 400, message: `${headers.authorization} ${path}` } }),
    ]);
    const baseUrl = server
      .baseUrl('openai-chat')
      .replace('http://', 'http://user:pass%20word@')
      .concat('?key=query-secret');
    const model = openAiModel({ id: 'test/model', baseUrl });
    const error = (await model.generate(request(), how).catch((refused: unknown) => refused)) as Error;
    const sent = server.requestAt(1);
    expect(sent.headers.authorization).toBe(`Basic ${Buffer.from('user:pass word').toString('base64')}`);
    expect(sent.path).toBe('/v1/chat/completions?key=query-secret');
    expect(error.message).not.toMatch(/query-secret|pass|dXNlc/);
  });

  it('is told without the beginning of a key, where only the beginning would fit', async () => {
    const echo = (status: number) => () => ({
      refuse: { status, message: `${'x'.repeat(190)} secret-key-of-mine is wrong` },
    });
    const { model } = await opened([echo(401), echo(500)], { apiKey: 'secret-key-of-mine' });
    const { port, close } = await plainServer([
      `${'x'.repeat(190)} secret-key-of-mine`,
      JSON.stringify({ note: `${'x'.repeat(180)} secret-key-of-mine` }),
    ]);
    const odd = openAiModel({
      id: 'test/odd',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: 'secret-key-of-mine',
    });
    for (const each of [model, model, odd, odd]) {
      const { message } = (await each.generate(request(), how).catch((refused: unknown) => refused)) as Error;
      expect(message).toContain('x'.repeat(180));
      expect(message.replaceAll(/\[s(e(c(r(e(t\]?)?)?)?)?)?/g, '')).not.toContain('sec'); // the mark may be cut as well
    }
    await close();
  });

  it('is told without the beginning of a key, where the connection breaks in the middle of it', async () => {
    const { port, close } = await cutServer('{"echo": "secret-key-o');
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const model = openAiModel({ id: 'test/model', baseUrl, apiKey: 'secret-key-of-mine' });
    await expect(model.generate(request(), how)).rejects.toThrow(/broke off the connection: \{"echo": "\[secret\]$/);
    await close();
  });

  it('over TLS is called over TLS', async () => {
    const { server } = await opened([]);
    const model = openAiModel({ id: 'test/model', baseUrl: server.baseUrl('openai-chat').replace('http:', 'https:') });
    await expect(model.generate(request(), how)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      detail: { reason: 'EPROTO' },
    });
    expect(server.requests).toHaveLength(0);
  });

  it('that moved says so, and the key does not follow', async () => {
    const { server, model } = await opened([{ refuse: { status: 307, message: 'Moved.' } }], { apiKey: 'secret-key' });
    await expect(model.generate(request(), how)).rejects.toMatchObject({
      code: 'MODEL_REJECTED',
      message: expect.stringContaining('check the base URL'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('sends the headers it is given, over its own', async () => {
    const { server, model } = await opened(['Hi.'], {
      apiKey: 'k-123456',
      headers: { Authorization: 'Own scheme', 'x-title': 'test' },
    });
    await model.generate(request(), how);
    expect(server.requestAt(1).headers).toMatchObject({ authorization: 'Own scheme', 'x-title': 'test' });
  });
});

it('states what it can, by default and as told [R3-PORT-CAPABILITIES]', () => {
  const { capabilities, price, id } = openAiModel({
    id: 'openai/gpt-4o',
    baseUrl: 'https://api.openai.com/v1',
    capabilities: { window: 64_000, tokenizer: 'o200k_base', parallelTools: false },
    price: { input: 2.5, output: 10 },
  });
  expect({ capabilities, price, id }).toEqual({
    id: 'openai/gpt-4o',
    price: { input: 2.5, output: 10 },
    capabilities: {
      window: 64_000,
      maxOutputTokens: 4096,
      tools: true,
      parallelTools: false,
      structuredOutput: true,
      promptCache: true,
      tokenizer: 'o200k_base',
    },
  });
  expect(ollamaModel({ id: 'ollama/qwen3' }).price).toEqual({ input: 0, output: 0 });
});
