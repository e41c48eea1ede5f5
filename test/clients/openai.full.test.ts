import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from '../server/stage-server.js';
import { hasPackages, hasPython, NODE_PEERS, runPython } from './peers.js';

let stage: ServerStage;
let full: string;
let few: string;
beforeAll(async () => {
  stage = await serverStage();
  full = await stage.keyFor('default', ['admin']);
  few = await stage.keyFor('default', ['agents:read']);
});
afterAll(() => stage.close());

const HEARD = 'heard: Good morning';
const messages = [{ role: 'user', content: 'Good morning' }];
/** One that a person has to allow: it waits, and asking again would start a second one. */
const paying = { model: 'payer', messages: [{ role: 'user', content: '{"amount":3}' }] };
const REFUSALS = [
  ['AuthenticationError', 401, 'UNAUTHENTICATED'],
  ['PermissionDeniedError', 403, 'FORBIDDEN'],
  ['NotFoundError', 404, 'NOT_FOUND'],
  ['BadRequestError', 400, 'REQUEST_INVALID'],
  ['UnprocessableEntityError', 422, 'RUN_WAITS'],
];

async function runsOf(agent: string): Promise<number> {
  return (await stage.call('GET', `/v1/runs?agent=${agent}`, { key: full })).body.runs.length;
}

describe.skipIf(!hasPackages('openai'))('the openai package for TypeScript', () => {
  const open = async (apiKey: string, maxRetries = 0) => {
    const { default: OpenAI } = await import(pathToFileURL(join(NODE_PEERS, 'node_modules/openai/index.mjs')).href);
    return new OpenAI({ apiKey, baseURL: `${stage.url}/v1`, maxRetries });
  };
  const errorOf = async (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error) => [error.constructor.name, error.status, error.code],
    );

  it('lists agents as models, asks one, and reads its answer whole and in chunks [R8-CLIENTS-OPENAI]', async () => {
    const client = await open(full);
    const models: string[] = [];
    for await (const { id } of client.models.list()) models.push(id);
    expect(models).toEqual(expect.arrayContaining(['desk', 'plain']));
    expect(await client.models.retrieve('plain')).toMatchObject({ id: 'plain', object: 'model' });
    const whole = await client.chat.completions.create({ model: 'plain', messages });
    expect(whole.choices[0]).toMatchObject({ message: { content: HEARD }, finish_reason: 'stop' });
    expect(whole.usage.total_tokens).toBe(whole.usage.prompt_tokens + whole.usage.completion_tokens);
    const streamed = { model: 'desk', messages, stream: true, stream_options: { include_usage: true } };
    let text = '';
    let tokens = 0;
    for await (const { choices, usage } of await client.chat.completions.create(streamed)) {
      text += choices[0]?.delta.content ?? '';
      tokens = usage?.total_tokens ?? tokens;
    }
    expect(text).toBe(HEARD);
    expect(tokens).toBeGreaterThan(0);
  });

  it('raises the errors that its users catch, and repeats nothing that may have acted [R8-CLIENTS-OPENAI]', async () => {
    const client = await open(full);
    const before = await runsOf('payer');
    expect([
      await errorOf((await open('fb_wrong')).models.list()),
      await errorOf((await open(few)).chat.completions.create({ model: 'plain', messages })),
      await errorOf(client.chat.completions.create({ model: 'nobody', messages })),
      await errorOf(client.chat.completions.create({ model: 'plain', messages, tools: [] })),
      await errorOf((await open(full, 2)).chat.completions.create(paying)),
    ]).toEqual(REFUSALS);
    expect(await runsOf('payer')).toBe(before + 1);
  });

  it('is told by a limit when to come back [R8-CLIENTS-OPENAI]', async () => {
    const limits = { requestsPerMinute: 1 };
    const client = await open(await stage.keyFor('default', ['agents:read'], { limits }));
    await client.models.list();
    const error = await client.models.list().catch((caught: unknown) => caught);
    expect([error.constructor.name, error.status, error.type]).toEqual(['RateLimitError', 429, 'rate_limit_error']);
    expect(Number(error.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasPython('openai'))('the openai package for Python', () => {
  it('does the same [R8-CLIENTS-OPENAI]', async () => {
    const before = await runsOf('payer');
    const env = { URL: stage.url, FULL: full, FEW: few };
    const { output } = await runPython('python', [resolve('test/clients/python/chat.py')], { env });
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
      models: expect.arrayContaining(['desk', 'plain']),
      model: 'plain',
      content: HEARD,
      finish: 'stop',
      total: true,
      streamed: HEARD,
      streamed_usage: true,
      errors: REFUSALS,
    });
    expect(await runsOf('payer')).toBe(before + 1);
  });
});
