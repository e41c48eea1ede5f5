import type { LanguageModelV2, LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { ModelDelta, ModelRequest } from '../../core/model.js';
import { aiSdkModel } from './ai-sdk-model.js';
import type { SdkModel } from './language-model.js';

const how = { signal: new AbortController().signal, key: 'key' };
const request: ModelRequest = {
  session: 'main',
  model: 'm',
  messages: [{ role: 'user', content: 'Hi.' }],
  tools: [],
  toolChoice: 'auto',
  sampling: { topP: 0.5, vendor: { topK: 3, effort: 'low' }, logProbs: 2 },
};

const STREAM: readonly LanguageModelV2StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { old: { signature: 's' } } },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello ' },
  { type: 'text-delta', id: 't', delta: 'there.' },
  { type: 'text-end', id: 't' },
  { type: 'tool-input-start', id: 'c', toolName: 'now' },
  { type: 'tool-input-delta', id: 'c', delta: '{}' },
  { type: 'tool-input-end', id: 'c' },
  { type: 'tool-call', toolCallId: 'c', toolName: 'now', input: '{}' },
  { type: 'tool-input-start', id: 'p', toolName: 'web_search', providerExecuted: true },
  { type: 'tool-call', toolCallId: 'p', toolName: 'web_search', input: '{}', providerExecuted: true },
  {
    type: 'finish',
    finishReason: 'tool-calls',
    usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12, cachedInputTokens: 4 },
  },
];

/** A provider of the older interface, scripted. */
function olderModel(stream = STREAM): LanguageModelV2 & { asked: LanguageModelV2CallOptions[] } {
  const asked: LanguageModelV2CallOptions[] = [];
  return {
    specificationVersion: 'v2',
    provider: 'old.chat',
    modelId: 'older-1',
    supportedUrls: {},
    asked,
    async doGenerate(options) {
      asked.push(options);
      return {
        content: [
          { type: 'reasoning', text: 'Hm.', providerMetadata: { old: { signature: 's' } } },
          { type: 'text', text: 'Hello there.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'now', input: '{}' },
          { type: 'tool-call', toolCallId: 'p', toolName: 'web_search', input: '{}', providerExecuted: true },
        ],
        finishReason: 'tool-calls',
        usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12, cachedInputTokens: 4 },
        warnings: [],
      };
    },
    async doStream(options) {
      asked.push(options);
      return { stream: ReadableStream.from(stream) as ReadableStream<LanguageModelV2StreamPart> };
    },
  };
}

describe('a provider of the older interface', () => {
  it('says the same in one piece and streamed, without the calls it makes itself [R3-AI-SDK]', async () => {
    const model = aiSdkModel(olderModel());
    const deltas: ModelDelta[] = [];
    const whole = await model.generate(request, how);
    expect(whole).toEqual({
      text: 'Hello there.',
      reasoning: 'Hm.',
      opaqueReasoning: { reasoning: [{ text: 'Hm.', metadata: { old: { signature: 's' } } }] },
      toolCalls: [{ id: 'c', name: 'now', arguments: '{}' }],
      finish: 'tool_calls',
      usage: { input: 9, output: 3, cacheRead: 4 },
    });
    expect(await model.generate(request, { ...how, onDelta: (delta) => deltas.push(delta) })).toEqual(whole);
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello ' },
      { type: 'text', text: 'there.' },
      { type: 'tool-call', id: 'c', name: 'now', arguments: '' },
      { type: 'tool-call', id: 'c', arguments: '{}' },
    ]);
    expect(model.id).toBe('old/older-1');
  });

  it('is told vendor settings under its own name, and those of the interface as such [R3-PORT-REQUEST] [R11-N10-TOP-P]', async () => {
    const older = olderModel();
    await aiSdkModel(older, { providerOptions: { old: { user: 'me' } } }).generate(request, how);
    expect(older.asked[0]).toMatchObject({
      topP: 0.5,
      topK: 3,
      providerOptions: { old: { user: 'me', effort: 'low', logprobs: 2 } },
    });
  });

  it('that ends its stream without an end was cut', async () => {
    const model = aiSdkModel(olderModel(STREAM.slice(0, -1)));
    await expect(model.generate(request, { ...how, onDelta: () => undefined })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      detail: { mayHaveCost: true },
    });
  });

  it('that names no usage is billed for the most it can have been', async () => {
    const silent = STREAM.map((part) =>
      part.type === 'finish'
        ? { ...part, usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined } }
        : part,
    );
    const model = aiSdkModel(olderModel(silent), { stream: true });
    const { usage } = await model.generate(request, how);
    expect(usage.input).toBe(model.countTokens(request));
    expect(usage.output).toBeGreaterThan('Hello there.Hm.'.length);
  });
});

it('leaves arguments empty that came empty: only the finish can tell a call without any from one cut off [R3-AI-SDK]', async () => {
  const older: LanguageModelV2 = {
    ...olderModel(),
    async doGenerate() {
      return {
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'now', input: '' }],
        finishReason: 'length',
        usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 },
        warnings: [],
      };
    },
  };
  const reply = await aiSdkModel(older).generate(request, how);
  expect(reply).toMatchObject({ finish: 'length', toolCalls: [{ id: 'c', name: 'now', arguments: '' }] });
});

it.each(['v1', 'v4', undefined])('refuses an interface of version %s with a sentence', (specificationVersion) => {
  const unknown = { ...olderModel(), specificationVersion } as unknown as SdkModel;
  expect(() => aiSdkModel(unknown)).toThrow(/v2 and v3/);
});

it('states what it can, by default and as told [R3-PORT-CAPABILITIES]', () => {
  const { capabilities, price } = aiSdkModel(olderModel(), {
    capabilities: { window: 200_000, structuredOutput: false },
    price: { input: 3, output: 15 },
  });
  expect({ capabilities, price }).toEqual({
    price: { input: 3, output: 15 },
    capabilities: {
      window: 200_000,
      maxOutputTokens: 4096,
      tools: true,
      structuredOutput: false,
      promptCache: true,
    },
  });
  expect(aiSdkModel({ ...olderModel(), provider: 'anthropic.messages' }).capabilities.promptCache).toBe('marked');
  expect(() => aiSdkModel(olderModel(), { id: 'nameless' })).toThrow(/provider\/model/);
});
