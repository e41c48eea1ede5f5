import { describe, expect, it } from 'vitest';
import { providerSettings, providerStatuses } from './provider-settings.js';
import { PROVIDERS } from './providers.js';

describe('the settings of a provider', () => {
  it('come from its variables [R3-MODEL-NAMES]', () => {
    expect(providerSettings('openai', { OPENAI_API_KEY: 'sk-1' }).values).toEqual({
      apiKey: 'sk-1',
      baseUrl: 'https://api.openai.com/v1',
    });
    expect(providerSettings('google', { GEMINI_API_KEY: 'g', GOOGLE_API_KEY: 'h' }).values).toEqual({ apiKey: 'g' });
  });

  it.each([
    ['anthropic', {}, 'anthropic is not configured. Set ANTHROPIC_API_KEY. For example: export ANTHROPIC_API_KEY=…'],
    ['openai', { OPENAI_API_KEY: ' ' }, 'Set OPENAI_API_KEY, or OPENAI_BASE_URL.'],
    ['openai-compatible', {}, 'export OPENAI_COMPATIBLE_BASE_URL=…'],
    ['azure', { AZURE_API_KEY: 'k' }, 'AZURE_API_KEY and AZURE_RESOURCE_NAME, or AZURE_API_KEY and AZURE_BASE_URL'],
    ['azure', { AZURE_API_KEY: 'k' }, 'export AZURE_RESOURCE_NAME=…'],
    ['bedrock', { AWS_ACCESS_KEY_ID: 'k' }, 'AWS_REGION and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
  ])('that lack something for %s are refused with the variable to set [R3-MODEL-NAMES]', (provider, env, sentence) => {
    expect(() => providerSettings(provider, env)).toThrow(sentence);
  });

  it('of an unknown provider are refused with the known ones [R3-MODEL-NAMES]', () => {
    expect(() => providerSettings('opnai', {})).toThrow(
      /"opnai" is not known. Known providers: alibaba, anthropic, .*openai, /,
    );
    expect(() => providerSettings('toString', {})).toThrow('is not known');
    expect(() => providerSettings('mine', {}, { mine: { like: 'opnai', baseUrl: 'http://x' } })).toThrow(
      '"opnai", which "mine" is like, is not known',
    );
  });

  it('of a local server need nothing', () => {
    for (const provider of ['ollama', 'vllm', 'lmstudio'])
      expect(providerSettings(provider, {}).values.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
  });

  it('need no key at another address', () => {
    expect(providerSettings('openai', { OPENAI_BASE_URL: 'http://proxy/v1' }).values).toEqual({
      baseUrl: 'http://proxy/v1',
    });
  });

  it('may be given, but the environment wins', () => {
    const configs = { openai: { baseUrl: 'http://given/v1', apiKey: 'given', headers: { 'x-team': 'a' } } };
    expect(providerSettings('openai', {}, configs)).toMatchObject({
      values: { baseUrl: 'http://given/v1', apiKey: 'given' },
      headers: { 'x-team': 'a' },
    });
    expect(providerSettings('openai', { OPENAI_BASE_URL: 'http://set/v1' }, configs).values).toEqual({
      baseUrl: 'http://set/v1',
      apiKey: 'given',
    });
  });

  it('under a name of its own never contain the key of the provider it is like', () => {
    const env = { OPENAI_API_KEY: 'secret', OPENAI_COMPATIBLE_API_KEY: 'secret', MINE: 'mine' };
    const configs = { mine: { baseUrl: 'http://mine/v1' }, yours: { like: 'openai', apiKeyVariable: 'MINE' } };
    expect(providerSettings('mine', env, configs).values).toEqual({ baseUrl: 'http://mine/v1' });
    expect(providerSettings('yours', env, configs).values).toEqual({
      apiKey: 'mine',
      baseUrl: 'https://api.openai.com/v1',
    });
    expect(() => providerSettings('theirs', env, { theirs: {} })).toThrow('Set providers.theirs.baseUrl.');
    expect(() => providerSettings('yours', {}, configs)).toThrow('export MINE=…');
  });

  it.each([
    ['gpu-box', 'http://gpu-box:11434'],
    ['gpu-box:80', 'http://gpu-box'],
    ['0.0.0.0:9000', 'http://127.0.0.1:9000'],
    [':9000', 'http://127.0.0.1:9000'],
    ['http://gpu-box', 'http://gpu-box'],
    ['https://gpu-box:444/ollama', 'https://gpu-box:444/ollama'],
    ['[::1]', 'http://[::1]:11434'],
  ])('read OLLAMA_HOST=%s as %s, as Ollama does', (host, url) => {
    expect(providerSettings('ollama', { OLLAMA_HOST: host }).values.baseUrl).toBe(url);
  });
});

describe('what is told about providers', () => {
  it('names the variables that are set, what to do about the others, and no secret [R3-MODEL-NAMES]', () => {
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-secret',
      OPENAI_API_KEY: 'sk-secret',
      VLLM_BASE_URL: 'http://user:secret@gpu/v1/?token=secret',
    };
    const statuses = providerStatuses(env, { mine: { baseUrl: 'http://mine/v1', apiKey: 'my-secret' } });
    const of = (name: string) => statuses.find(({ provider }) => provider === name);
    expect(of('anthropic')).toEqual({
      provider: 'anthropic',
      isConfigured: true,
      from: ['ANTHROPIC_API_KEY'],
      package: '@ai-sdk/anthropic',
    });
    expect(of('mistral')).toMatchObject({ isConfigured: false, toDo: expect.stringContaining('MISTRAL_API_KEY') });
    expect(of('vllm')).toMatchObject({ isConfigured: true, from: ['VLLM_BASE_URL'], address: 'http://gpu/v1' });
    expect(of('mine')).toMatchObject({ isConfigured: true, address: 'http://mine/v1' });
    expect(statuses).toHaveLength(Object.keys(PROVIDERS).length + 1);
    expect(JSON.stringify(statuses)).not.toContain('secret');
  });
});
