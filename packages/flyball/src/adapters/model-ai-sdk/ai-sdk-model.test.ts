import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { modelContract } from '../../testing/contracts/model-contract.js';
import { modelServer } from '../../testing/index.js';
import { aiSdkModel } from './ai-sdk-model.js';

modelContract({ describe, it }, 'AI SDK, OpenAI responses [R3-AI-SDK] [R11-N12-ADAPTERS]', {
  format: 'openai-responses',
  open: ({ baseUrl, apiKey }) =>
    aiSdkModel(createOpenAI({ baseURL: baseUrl, apiKey }).responses('gpt-4o'), { secrets: [apiKey] }),
  cannot: ['seed', 'stop', 'cache-markers', 'finish-error', 'audio'],
});

modelContract({ describe, it }, 'AI SDK, Anthropic [R3-AI-SDK] [R11-N12-ADAPTERS]', {
  format: 'anthropic',
  open: ({ baseUrl, apiKey }) =>
    aiSdkModel(createAnthropic({ baseURL: baseUrl, apiKey })('claude-sonnet-4-5'), { secrets: [apiKey] }),
  cannot: ['seed', 'log-probs', 'finish-error', 'audio'],
});

modelContract({ describe, it }, 'AI SDK, Google [R3-AI-SDK] [R11-N12-ADAPTERS]', {
  format: 'gemini',
  open: ({ baseUrl, apiKey }) =>
    aiSdkModel(createGoogleGenerativeAI({ baseURL: baseUrl, apiKey })('gemini-2.5-pro'), { secrets: [apiKey] }),
  cannot: ['call-ids', 'log-probs', 'cache-markers', 'cache-write'],
});

it('says late system text as the user to a provider that takes it only at the beginning', async () => {
  const server = await modelServer({ replies: () => 'Fine.' });
  const settings = { apiKey: 'k' };
  const models = [
    aiSdkModel(createAnthropic({ ...settings, baseURL: server.baseUrl('anthropic') })('claude-sonnet-4-5')),
    aiSdkModel(createGoogleGenerativeAI({ ...settings, baseURL: server.baseUrl('gemini') })('gemini-2.5-pro')),
    aiSdkModel(createOpenAI({ ...settings, baseURL: server.baseUrl('openai-responses') })('gpt-4o')),
  ];
  const messages = [
    { role: 'system', content: 'Rules.' },
    { role: 'user', content: 'Hi.' },
    { role: 'system', content: 'Less than a minute is left.' },
  ] as const;
  for (const model of models) {
    const request = { session: 's', model: 'm', messages, tools: [], toolChoice: 'auto', sampling: {} } as const;
    await model.generate(request, { signal: new AbortController().signal, key: 'k' });
  }
  const last = server.requests.map(({ messages: sent }) => sent.at(-1));
  expect(last).toEqual(['user', 'user', 'system'].map((role) => ({ role, content: 'Less than a minute is left.' })));
  await server.close();
});

it('says how long to think in the words of each vendor [F-E1]', async () => {
  const server = await modelServer({ replies: () => 'Fine.' });
  const settings = { apiKey: 'k' };
  const models = [
    aiSdkModel(createAnthropic({ ...settings, baseURL: server.baseUrl('anthropic') })('claude-opus-4-5')),
    aiSdkModel(createGoogleGenerativeAI({ ...settings, baseURL: server.baseUrl('gemini') })('gemini-3.1-flash-lite')),
    aiSdkModel(createOpenAI({ ...settings, baseURL: server.baseUrl('openai-responses') })('gpt-5')),
  ];
  const messages = [{ role: 'user', content: 'Hi.' }] as const;
  const sampling = { reasoningEffort: 'low' };
  for (const model of models) {
    const request = { session: 's', model: 'm', messages, tools: [], toolChoice: 'auto', sampling } as const;
    await model.generate(request, { signal: new AbortController().signal, key: 'k' });
  }
  expect(server.requests.map(({ body }) => body)).toMatchObject([
    { output_config: { effort: 'low' } },
    { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } },
    { reasoning: { effort: 'low' } },
  ]);
  await server.close();
});
