import { afterEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from './core/model.js';
import { createModels, describeModels, type ModelsConfig, pricesIn } from './create-models.js';
import type { RouterEvent } from './models/router-event.js';
import { type ModelServer, modelServer } from './testing/model-server/model-server.js';
import type { ServerScript } from './testing/model-server/server-script.js';
import { virtualClock } from './testing/virtual-clock.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(replies: ServerScript): Promise<ModelServer> {
  const server = await modelServer({ replies });
  servers.push(server);
  return server;
}

const call = { key: 'k1', signal: new AbortController().signal };
const request: ModelRequest = {
  session: 'writer',
  model: 'any/model',
  messages: [{ role: 'user', content: 'Say hello.' }],
  tools: [],
  toolChoice: 'auto',
  sampling: { maxOutputTokens: 50 },
};

describe('models chosen by name and environment', () => {
  it.each([
    ['openai/gpt-5-mini', 'openai-chat', (url: string) => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: url })],
    ['openrouter/meta/llama', 'openai-chat', (url: string) => ({ OPENROUTER_BASE_URL: url })],
    ['deepseek/deepseek-chat', 'openai-chat', (url: string) => ({ DEEPSEEK_BASE_URL: url })],
    ['vllm/qwen', 'openai-chat', (url: string) => ({ VLLM_BASE_URL: url })],
    ['lmstudio/qwen', 'openai-chat', (url: string) => ({ LMSTUDIO_BASE_URL: url })],
    ['openai-compatible/mine', 'openai-chat', (url: string) => ({ OPENAI_COMPATIBLE_BASE_URL: url })],
    ['ollama/qwen3:8b', 'ollama', (url: string) => ({ OLLAMA_HOST: url })],
  ] as const)('%s is asked at the address that its variable names [R3-MODEL-NAMES]', async (name, format, env) => {
    const server = await serve(['hello']);
    const models = await createModels({ env: { ...env(server.baseUrl(format)), FLYBALL_MODEL: name } });
    const model = models.forRole('writer');
    expect([model.id, (await model.generate(request, call)).text]).toEqual([name, 'hello']);
    const { body, headers, format: spoken } = server.requestAt(1);
    expect(spoken).toBe(format);
    expect(body).toMatchObject({ model: name.slice(name.indexOf('/') + 1) });
    expect(headers.authorization).toBe(name.startsWith('openai/') ? 'Bearer sk-test' : undefined);
  });

  it.each([
    ['anthropic/claude-sonnet-4-5', 'anthropic', { ANTHROPIC_API_KEY: 'sk-ant' }],
    ['google/gemini-2.5-flash', 'gemini', { GEMINI_API_KEY: 'g-key' }],
  ] as const)('%s is asked through the package of its vendor [R3-MODEL-NAMES]', async (name, format, env) => {
    const server = await serve(['hello']);
    const [provider = ''] = name.split('/');
    const config = { providers: { [provider]: { baseUrl: server.baseUrl(format) } } };
    const model = await (await createModels({ env, config })).load(name);
    expect([model.id, (await model.generate(request, call)).text]).toEqual([name, 'hello']);
    expect(server.requestAt(1).format).toBe(format);
    expect(model.price?.input).toBeGreaterThan(0);
  });

  it('differ by role, and after a comma stand those that answer instead [R3-MODEL-NAMES] [R3-ROUTER-ROLES]', async () => {
    const [broken, sound] = [await serve([{ refuse: { status: 401 } }]), await serve(['I judge it good.'])];
    const events: RouterEvent[] = [];
    const models = await createModels({
      env: {
        FLYBALL_MODEL: 'vllm/small',
        FLYBALL_MODEL_JUDGE: 'vllm/large, ollama/large',
        VLLM_BASE_URL: broken.baseUrl('openai-chat'),
        OLLAMA_HOST: sound.baseUrl('ollama'),
      },
      observe: (event) => events.push(event),
    });
    expect(models.roles).toEqual({ default: 'vllm/small', judge: 'vllm/large' });
    expect(await models.forRole('judge').generate(request, call)).toMatchObject({
      text: 'I judge it good.',
      model: 'ollama/large',
    });
    expect(events.map(({ type }) => type)).toContain('fallback-use');
    expect(models.forRole('writer').fallbacks).toBeUndefined();
  });

  it('of a provider of the user’s own are described in the settings [R3-MODEL-NAMES]', async () => {
    const server = await serve(['hello']);
    const price = { input: 1, output: 2 };
    const config: ModelsConfig = {
      roles: { default: 'mine/best' },
      providers: {
        mine: { baseUrl: server.baseUrl('openai-chat'), apiKeyVariable: 'MY_KEY', headers: { 'x-team': 'a' } },
      },
      models: { 'mine/best': { capabilities: { window: 5_000, tools: false }, price } },
    };
    const model = (await createModels({ env: { MY_KEY: 'my-key' }, config })).forRole('any');
    expect(model).toMatchObject({ price, capabilities: { window: 5_000, tools: false, maxOutputTokens: 4_096 } });
    await model.generate(request, call);
    expect(server.requestAt(1).headers).toMatchObject({ authorization: 'Bearer my-key', 'x-team': 'a' });
    expect(pricesIn(config)).toEqual({ 'mine/best': price });
  });

  it.each([
    ['the header that is named', 'Api-Key'],
    ['another one', 'Ocp-Apim-Subscription-Key'],
  ])('send the key in %s, and nowhere else [R3-MODEL-NAMES]', async (_which, keyHeader) => {
    const refusal = { refuse: { status: 400, message: 'no such key: my-key-123' } };
    const server = await serve(['hello', refusal]);
    const mine = { baseUrl: server.baseUrl('openai-chat'), apiKeyVariable: 'MY_KEY', keyHeader, isFree: true };
    const config: ModelsConfig = { roles: { default: 'mine/best' }, providers: { mine } };
    const model = (await createModels({ env: { MY_KEY: 'my-key-123' }, config })).forRole('any');
    await model.generate(request, call);
    const { authorization, [keyHeader.toLowerCase()]: key } = server.requestAt(1).headers;
    expect({ authorization, key }).toEqual({ authorization: undefined, key: 'my-key-123' });
    await expect(model.generate(request, call)).rejects.toMatchObject({
      message: expect.not.stringContaining('my-key-123') as string,
    });
  });

  it('refuse a header for the key that is none, or that nothing would read', async () => {
    const models = (mine: object) => createModels({ env: {}, config: { providers: { mine } } });
    const baseUrl = 'http://127.0.0.1:1/v1';
    const load = async (mine: object) => (await models({ baseUrl, apiKey: 'k', ...mine })).load('mine/best');
    await expect(load({ keyHeader: 'api key:' })).rejects.toThrow('is not the name of a header');
    await expect(load({ keyHeader: 'api-key', like: 'anthropic' })).rejects.toThrow(
      'providers.mine.keyHeader has no effect, because @ai-sdk/anthropic sends the key itself. Remove it.',
    );
  });

  it('follow the policy of the settings, on the clock that is given', async () => {
    const server = await serve([{ misbehave: 'hang' }]);
    const clock = virtualClock();
    const config = { timeoutMs: 2_000, retry: { retries: 0 }, roles: { default: 'vllm/qwen' } };
    const models = await createModels({ env: { VLLM_BASE_URL: server.baseUrl('openai-chat') }, config, clock });
    const reply = models.forRole('any').generate(request, call);
    const checked = expect(reply).rejects.toMatchObject({ detail: { timeoutMs: 2_000, mayHaveCost: true } });
    await server.reached(1);
    await clock.advance(2_000);
    await checked;
  });
});

describe('what a model costs and can do', () => {
  it('is in the built-in tables, and nothing for what runs at home [R3-MODEL-NAMES]', async () => {
    const models = await createModels({ env: { OPENAI_API_KEY: 'k', OLLAMA_CONTEXT_LENGTH: '40000' } });
    expect(await models.load('openai/gpt-5')).toMatchObject({
      price: { input: 1.25, output: 10 },
      capabilities: { window: 400_000, tools: true },
    });
    for (const name of ['ollama/qwen3', 'vllm/qwen', 'lmstudio/qwen'])
      expect((await models.load(name)).price).toEqual({ input: 0, output: 0 });
    expect((await models.load('ollama/qwen3')).capabilities).toMatchObject({ window: 40_000, maxOutputTokens: 2_048 });
  });

  it('is counted exactly where its encoding is known, and by bytes where not', async () => {
    const models = await createModels({ env: { OPENAI_API_KEY: 'k' } });
    const long = { ...request, messages: [{ role: 'user' as const, content: 'hello '.repeat(1_000) }] };
    expect((await models.load('openai/gpt-5')).countTokens(long)).toBeLessThan(2_000);
    expect((await models.load('openai/gpt-99')).countTokens(long)).toBeGreaterThan(6_000);
    const config = { models: { 'openai/gpt-99': { capabilities: { tokenizer: 'klingon' } } } };
    const wrong = createModels({ env: { OPENAI_API_KEY: 'k', FLYBALL_MODEL: 'openai/gpt-99' }, config });
    await expect(wrong).rejects.toThrow('"klingon"');
  });

  it('is never free because it is unknown', async () => {
    const models = await createModels({ env: { OPENAI_API_KEY: 'k' } });
    expect(await models.load('openai/gpt-99')).not.toHaveProperty('price');
  });

  it('is refused where a price is no number', async () => {
    const config = { models: { 'a/b': { price: { input: Number.NaN, output: 1 } } } };
    await expect(createModels({ env: {}, config })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('is refused where Ollama’s window is no number', async () => {
    const models = await createModels({ env: { OLLAMA_CONTEXT_LENGTH: 'large' } });
    await expect(models.load('ollama/qwen3')).rejects.toThrow('The window of ollama/qwen3 must be');
  });
});

describe('a model that cannot be had', () => {
  it.each([
    ['openai/gpt-5', {}, /Set OPENAI_API_KEY, or OPENAI_BASE_URL\. For example: export OPENAI_API_KEY=…/],
    ['anthropic/claude-sonnet-4-5', {}, /export ANTHROPIC_API_KEY=…/],
    ['opnai/gpt-5', {}, /"opnai" is not known. Known providers: .*openai/],
    ['mistral/mistral-large', { MISTRAL_API_KEY: 'k' }, /npm i(nstall)? @ai-sdk\/mistral/],
    ['gpt-5', {}, /provider\/model/],
  ])('%s is refused with what to do, before anything is asked [R3-MODEL-NAMES]', async (name, env, sentence) => {
    await expect(createModels({ env: { ...env, FLYBALL_MODEL: name } })).rejects.toThrow(sentence);
  });
});

describe('the description of what is configured', () => {
  it('tells roles, providers and what to do, and no key [R3-MODEL-NAMES]', async () => {
    const env = {
      FLYBALL_MODEL: 'openai/gpt-5-mini,mistral/mistral-large',
      FLYBALL_MODEL_JUDGE: 'ollama/qwen3',
      OPENAI_API_KEY: 'sk-secret',
      MISTRAL_API_KEY: 'm-secret',
      ANTHROPIC_API_KEY: 'a-secret',
    };
    const description = await describeModels(env, { fallback: { judge: ['vllm/qwen'] } });
    expect(description.roles).toEqual([
      {
        role: 'default',
        model: 'openai/gpt-5-mini',
        fallbacks: ['mistral/mistral-large'],
        problem: expect.stringContaining('@ai-sdk/mistral'),
      },
      { role: 'judge', model: 'ollama/qwen3', fallbacks: ['vllm/qwen'] },
    ]);
    const of = (name: string) => description.providers.find(({ provider }) => provider === name);
    expect(of('openai')).toMatchObject({ isConfigured: true, from: ['OPENAI_API_KEY'] });
    expect(of('anthropic')).toMatchObject({ isConfigured: true, package: '@ai-sdk/anthropic' });
    expect(of('mistral')).toMatchObject({ isConfigured: false, toDo: expect.stringContaining('@ai-sdk/mistral') });
    expect(of('xai')).toMatchObject({ isConfigured: false, toDo: expect.stringContaining('XAI_API_KEY') });
    expect(JSON.stringify(description)).not.toContain('secret');
  });

  it('tells of an address that is none', async () => {
    const { providers } = await describeModels({ FLYBALL_MODEL: 'vllm/qwen', VLLM_BASE_URL: 'nowhere' });
    const { roles } = await describeModels({ FLYBALL_MODEL: 'vllm/qwen', VLLM_BASE_URL: 'nowhere' });
    expect(roles[0]?.problem).toContain('is not a URL');
    expect(providers.find(({ provider }) => provider === 'vllm')?.from).toEqual(['VLLM_BASE_URL']);
  });
});
