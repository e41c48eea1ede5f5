import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../core/model.js';
import { type ModelServer, modelServer } from '../../testing/index.js';
import type { WireFormat } from '../../testing/model-server/wire.js';
import { aiSdkKeys, aiSdkProvider } from './ai-sdk-provider.js';

const how = { signal: new AbortController().signal, key: 'key' };
const request: ModelRequest = {
  session: 'main',
  model: 'm',
  messages: [{ role: 'user', content: 'Hi.' }],
  tools: [],
  toolChoice: 'auto',
  sampling: {},
};

let server: ModelServer;
beforeAll(async () => {
  server = await modelServer({ replies: ({ format }) => `Hello over ${format}.` });
});
afterAll(() => server.close());

describe('a provider by name', () => {
  it.each([
    ['openai', 'openai-responses', 'OPENAI_API_KEY', 'authorization', 'gpt-4o'],
    ['anthropic', 'anthropic', 'ANTHROPIC_API_KEY', 'x-api-key', 'claude-sonnet-4-5'],
    ['google', 'gemini', 'GEMINI_API_KEY', 'x-goog-api-key', 'gemini-2.5-pro'],
  ] as const)(
    '%s is loaded, finds its key and answers [R3-AI-SDK]',
    async (name, format: WireFormat, variable, header, id) => {
      const provider = await aiSdkProvider(name, {
        env: { [variable]: 'key-from-env' },
        baseUrl: server.baseUrl(format),
      });
      const model = provider(id, { capabilities: { window: 9000 } });
      expect([model.id, model.capabilities.window]).toEqual([`${name}/${id}`, 9000]);
      expect((await model.generate(request, how)).text).toBe(`Hello over ${format}.`);
      expect(server.requests.at(-1)?.headers[header]).toContain('key-from-env');
    },
  );

  it('sends the whole conversation each time: a run may sleep longer than OpenAI keeps it', async () => {
    const provider = await aiSdkProvider('openai', { apiKey: 'k', baseUrl: server.baseUrl('openai-responses') });
    await provider('gpt-4o').generate(request, how);
    expect(server.requests.at(-1)?.body).toMatchObject({ store: false });
    await provider('gpt-4o', { providerOptions: { openai: { store: true } } }).generate(request, how);
    expect(server.requests.at(-1)?.body).toMatchObject({ store: true });
  });

  it('whose package is missing says which to install [R3-MODEL-NAMES]', async () => {
    await expect(aiSdkProvider('mistral', { apiKey: 'k' })).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm i @ai-sdk/mistral'),
      detail: { package: '@ai-sdk/mistral' },
    });
  });

  it('without a key says which variable to set [R3-MODEL-NAMES]', async () => {
    await expect(aiSdkProvider('google', { env: { GEMINI_API_KEY: '' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY'),
    });
    expect(aiSdkKeys('amazon-bedrock')).toEqual([]);
  });

  it('that is not known here is asked for the function that makes it', async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const load = async (name: string) => (name === '@ai-sdk/brand-new' ? { createBrandNew: createAnthropic } : {});
    const settings = { apiKey: 'k', baseURL: server.baseUrl('anthropic') };
    const provider = await aiSdkProvider('brand-new', { load, settings });
    expect((await provider('m').generate(request, how)).text).toBe('Hello over anthropic.');
    await expect(aiSdkProvider('empty', { load })).rejects.toThrow(/exports no create/);
  });

  it.each(['../evil', 'UPPER', ''])('that is no name is refused: "%s"', async (name) => {
    await expect(aiSdkProvider(name)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('never repeats its key in an error', async () => {
    const refusing = await modelServer({
      replies: ({ headers }) => ({ refuse: { status: 401, message: `bad ${headers['x-api-key']}` } }),
    });
    const provider = await aiSdkProvider('anthropic', { apiKey: 'key-123456', baseUrl: refusing.baseUrl('anthropic') });
    await expect(provider('m').generate(request, how)).rejects.toThrow('bad [secret]');
    await refusing.close();
  });
});
