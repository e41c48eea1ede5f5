import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, it } from 'vitest';
import { modelContract } from '../../testing/contracts/model-contract.js';
import { aiSdkModel } from './ai-sdk-model.js';

modelContract({ describe, it }, 'AI SDK, OpenAI responses [R3-AI-SDK]', {
  format: 'openai-responses',
  open: ({ baseUrl, apiKey }) =>
    aiSdkModel(createOpenAI({ baseURL: baseUrl, apiKey }).responses('gpt-4o'), { secrets: [apiKey] }),
  cannot: ['seed', 'stop', 'cache-markers', 'finish-error'],
});

modelContract({ describe, it }, 'AI SDK, Anthropic [R3-AI-SDK]', {
  format: 'anthropic',
  open: ({ baseUrl, apiKey }) =>
    aiSdkModel(createAnthropic({ baseURL: baseUrl, apiKey })('claude-sonnet-4-5'), { secrets: [apiKey] }),
  cannot: ['seed', 'log-probs', 'finish-error'],
});

modelContract({ describe, it }, 'AI SDK, Google [R3-AI-SDK]', {
  format: 'gemini',
  open: ({ baseUrl, apiKey }) =>
    aiSdkModel(createGoogleGenerativeAI({ baseURL: baseUrl, apiKey })('gemini-2.5-pro'), { secrets: [apiKey] }),
  cannot: ['call-ids', 'log-probs', 'cache-markers', 'cache-write'],
});
