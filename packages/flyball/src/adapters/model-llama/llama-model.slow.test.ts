import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../../../../../test/patience.js';
import { createModels, describeModels } from '../../create-models.js';
import type { LlamaLibrary, Weights } from './library.js';
import { FOLDER, how, isThere, load, observed, request, sayWhyNot, WEIGHTS } from './llama.test-data.js';
import { type LlamaModel, llamaModel } from './llama-model.js';

sayWhyNot();

const WEATHER = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  input: {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 12 } },
    required: ['city'],
    additionalProperties: false,
  },
} as const;
const SUM = {
  name: 'sum',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { enum: [1, 2] }, b: { enum: [1, 2] } }, required: ['a', 'b'] },
} as const;

describe.skipIf(!isThere)('SmolLM2-135M in this process', { timeout: patient(120_000) }, () => {
  let model: LlamaModel;
  const open = (given: Partial<Parameters<typeof llamaModel>[0]> = {}): Promise<LlamaModel> =>
    llamaModel({ file: WEIGHTS, id: 'llama/smollm2', threads: 1, load, capabilities: { window: 512 }, ...given });
  beforeAll(async () => {
    model = await open();
  }, patient(120_000));
  afterAll(() => model.close());

  it('streams what it writes, and its reply is the sum of that [R13-LLAMA-STREAM]', async () => {
    const { reply, deltas } = await observed(model, request());
    expect(reply.text.length).toBeGreaterThan(20);
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.map((delta) => (delta.type === 'text' ? delta.text : '?')).join('')).toBe(reply.text);
    expect(reply).toMatchObject({ finish: 'length', toolCalls: [] });
  });

  it('reads a conversation exactly as the template in its file writes it [R13-LLAMA-TEMPLATE]', async () => {
    const require = createRequire(join(FOLDER, 'from.js'));
    const { Template } = require('@huggingface/jinja') as {
      Template: new (source: string) => { render(given: object): string };
    };
    const library = (await load()) as LlamaLibrary & { readGgufFileInfo(file: string): Promise<unknown> };
    const info = (await library.readGgufFileInfo(WEIGHTS)) as {
      metadata: { tokenizer: { chat_template: string } };
    };
    const { weights } = (model as unknown as { held: { loaded: { weights: Weights } } }).held.loaded;
    const messages = [
      { role: 'system', content: 'You are brief.' },
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: 'Three?' },
    ] as const;
    const written = new Template(info.metadata.tokenizer.chat_template).render({
      messages,
      add_generation_prompt: true,
    });
    const asked = request({ messages });
    const read = (model as unknown as { write(of: unknown): { tokens: number[] } }).write(asked).tokens;
    expect(weights.detokenize(read, true)).toBe(written);
    expect(read).toEqual(weights.tokenize(written, true));
    expect(model.countTokens(asked)).toBe(read.length);
  });

  it('counts the tokens of a prompt as its tokenizer does, and those it wrote [R13-LLAMA-TOKENS]', async () => {
    const asked = request({ sampling: { maxOutputTokens: 5 } });
    const used: { readonly input: number; readonly output: number }[] = [];
    const reply = await model.generate(asked, how({ onUsage: (usage) => used.push(usage), onDelta: () => undefined }));
    expect(reply.usage).toMatchObject({ input: model.countTokens(asked), output: 5 });
    expect(model.countTokens(asked)).toBe(23);
    expect(used.at(-1)).toMatchObject({ input: 23 });
    expect(used.map(({ output }) => output)).toEqual([...used.map(({ output }) => output)].sort((a, b) => a - b));
    const withTool = model.countTokens(request({ tools: [WEATHER] }));
    expect(withTool).toBeGreaterThan(model.countTokens(request()) + 50);
  });

  it('draws the same with the same seed, and otherwise with another [R13-LLAMA-SAMPLING]', async () => {
    const draw = async (seed: number): Promise<string> =>
      (await model.generate(request({ sampling: { temperature: 1.2, topP: 0.99, seed, maxOutputTokens: 10 } }), how()))
        .text;
    const first = await draw(1);
    expect(await draw(2)).not.toBe(first);
    expect(await draw(1)).toBe(first);
  });

  it('draws by the key of the call where no seed is set, so that a call made again is the same [R13-LLAMA-SAMPLING]', async () => {
    const asked = { ...request(), sampling: { temperature: 1.2, maxOutputTokens: 8 } };
    const drawn = async (key: string): Promise<string> => (await model.generate({ ...asked }, how({ key }))).text;
    const first = await drawn('run-1/ask-1');
    expect(await drawn('run-1/ask-2')).not.toBe(first);
    expect(await drawn('run-1/ask-1')).toBe(first);
  });

  it('stops at a text that is to stop it, and leaves that out', async () => {
    const whole = (await model.generate(request(), how())).text;
    const word = whole.split(' ')[2] ?? '';
    const reply = await model.generate(request({ sampling: { stop: [word] } }), how());
    expect(reply.text.trim()).toBe(whole.slice(0, whole.indexOf(word)).trim());
    expect(reply.finish).toBe('stop');
  });

  it('writes JSON that fits the schema, whatever it thinks of it [R13-LLAMA-JSON]', async () => {
    const output = {
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'city' }, { const: 'river' }] },
        inhabitants: { type: ['integer', 'null'] },
      },
      required: ['kind', 'inhabitants'],
      additionalProperties: false,
    };
    const { reply } = await observed(model, request({ output, sampling: { maxOutputTokens: 60 } }));
    const value = JSON.parse(reply.text) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['kind', 'inhabitants']);
    expect(['city', 'river']).toContain(value['kind']);
    expect(reply.finish).toBe('stop');
  });

  it('calls a tool where it must, with arguments that fit its schema [R13-LLAMA-TOOLS]', async () => {
    const asked = request({ tools: [WEATHER, SUM], toolChoice: 'required', sampling: { maxOutputTokens: 60 } });
    const { reply, deltas } = await observed(model, asked);
    expect(reply).toMatchObject({ finish: 'tool_calls', text: '' });
    const [call] = reply.toolCalls;
    expect(['weather', 'sum']).toContain(call?.name);
    expect(call?.id).toBe('call_1');
    JSON.parse(call?.arguments ?? '');
    const told = deltas.map((delta) => (delta.type === 'tool-call' ? delta : undefined));
    expect(told[0]?.name).toBe(call?.name);
    expect(told.map((delta) => delta?.arguments).join('')).toBe(call?.arguments);
  });

  it('calls the one tool that it must, after what it was told of an earlier call [R13-LLAMA-TOOLS]', async () => {
    const { reply } = await observed(
      model,
      request({
        messages: [
          { role: 'user', content: 'What is 1 + 2?' },
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' }],
          },
          { role: 'tool', toolCallId: 'call_1', name: 'weather', content: 'rain' },
        ],
        tools: [WEATHER, SUM],
        toolChoice: { tool: 'sum' },
        sampling: { maxOutputTokens: 60 },
      }),
    );
    expect(reply.toolCalls).toMatchObject([{ id: 'call_2', name: 'sum' }]);
    expect(
      Object.values(JSON.parse(reply.toolCalls[0]?.arguments ?? '') as object).every((n) => n === 1 || n === 2),
    ).toBe(true);
  });

  it('says that a call was cut off, with what came of it', async () => {
    const asked = request({ tools: [WEATHER], toolChoice: 'required', sampling: { maxOutputTokens: 6 } });
    const reply = await model.generate(asked, how());
    expect(reply.finish).toBe('length');
    expect(reply.usage.output).toBeLessThanOrEqual(6);
  });

  it('stops in the middle when it is aborted, and the next call has its place [R13-LLAMA-ABORT]', async () => {
    const one = await open({ sequences: 1 });
    const expected = (await one.generate(request(), how())).text;
    const stop = new AbortController();
    let heard = 0;
    const call = one.generate(
      request({ sampling: { maxOutputTokens: 400 } }),
      how({
        signal: stop.signal,
        onDelta: () => {
          heard += 1;
          if (heard === 3) stop.abort(new Error('enough'));
        },
      }),
    );
    await expect(call).rejects.toThrow('enough');
    expect(heard).toBeLessThan(10);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    expect((await one.generate(request(), how())).text).toBe(expected);
    await expect(one.generate(request(), how({ signal: AbortSignal.abort(new Error('too late')) }))).rejects.toThrow(
      'too late',
    );
    await one.close();
  });

  it('refuses a prompt that leaves no room, and stops where the window ends [R13-LLAMA-WINDOW]', async () => {
    const long = request({ messages: [{ role: 'user', content: 'word '.repeat(600) }] });
    await expect(model.generate(long, how())).rejects.toMatchObject({
      code: 'WINDOW_EXCEEDED',
      retryable: false,
      message: expect.stringMatching(/^The prompt has 6\d\d tokens .* has 512\./),
    });
    const nearly = request({
      messages: [{ role: 'user', content: 'word '.repeat(490) }],
      sampling: { maxOutputTokens: 300 },
    });
    const room = 512 - model.countTokens(nearly);
    const reply = await model.generate(nearly, how());
    expect(reply.usage.output).toBeLessThanOrEqual(room);
    expect(model.capabilities.window).toBe(512);
  });

  it('answers several runs at once as it answers each alone [R13-LLAMA-POOL]', async () => {
    const asked = ['Paris', 'cats', 'the sea', 'music'].map((about) =>
      request({ messages: [{ role: 'user', content: `Tell me about ${about}.` }], sampling: { maxOutputTokens: 8 } }),
    );
    const alone: string[] = [];
    for (const each of asked) alone.push((await model.generate(each, how())).text);
    const together = await Promise.all(asked.map((each) => model.generate(each, how())));
    expect(together.map(({ text }) => text)).toEqual(alone);
    expect(new Set(alone).size).toBe(4);
    const { line } = (model as unknown as { held: { loaded: { line: { all: readonly unknown[] } } } }).held.loaded;
    expect(line.all).toHaveLength(2); // four runs, two sequences
  });

  it('does not evaluate again what a conversation began with, unless a seed asks for that [R13-LLAMA-PREFIX]', async () => {
    const plain = { maxOutputTokens: 4, temperature: 0 };
    const messages = request().messages;
    const first = await model.generate({ ...request(), sampling: plain }, how());
    const more = [
      ...messages,
      { role: 'assistant', content: first.text } as const,
      { role: 'user', content: 'And?' } as const,
    ];
    const second = await model.generate({ ...request({ messages: more }), sampling: plain }, how());
    expect(second.usage.cacheRead).toBeGreaterThanOrEqual(first.usage.input);
    const seeded = await model.generate(request({ messages: more }), how());
    expect(seeded.usage.cacheRead).toBe(0);
  });

  it('is loaded once for all who open the same file, and unloaded by the last to close it [R13-LLAMA-CLOSE]', async () => {
    const weightsOf = (each: LlamaModel) =>
      (each as unknown as { held: { loaded: { weights: object } } }).held.loaded.weights;
    const [a, b] = await Promise.all([open({ sequences: 3 }), open({ sequences: 3 })]);
    expect(weightsOf(a)).toBe(weightsOf(b));
    await a.close();
    await expect(a.generate(request(), how())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    const call = b.generate(request({ sampling: { maxOutputTokens: 3 } }), how());
    await Promise.all([b.close(), b.close()]); // in the middle of a call, which ends first
    expect((await call).text).not.toBe('');
    expect(weightsOf(b)).toMatchObject({ disposed: true });
  });

  it('is a model like any other wherever FLYBALL_MODEL names its file [R13-LLAMA-NAMED]', async () => {
    const before = process.cwd();
    process.chdir(FOLDER); // the package is found in the project of the working directory, as is the file
    try {
      const env = {
        FLYBALL_MODEL: `llama/${basename(WEIGHTS)}`,
        FLYBALL_LLAMA_WINDOW: '256',
        FLYBALL_LLAMA_SEQUENCES: '1',
        FLYBALL_LLAMA_THREADS: '1',
      };
      const { roles, providers } = await describeModels(env);
      expect(roles).toEqual([{ role: 'default', model: env.FLYBALL_MODEL, fallbacks: [] }]);
      expect(providers.find(({ provider }) => provider === 'llama')).toMatchObject({
        isConfigured: true,
        package: 'node-llama-cpp',
      });
      const models = await createModels({ env, config: { timeoutMs: patient(100_000) } });
      const named = models.forRole('default');
      expect(named.capabilities).toMatchObject({ window: 256, maxOutputTokens: 256, structuredOutput: true });
      expect(named.price).toEqual({ input: 0, output: 0 });
      const reply = await named.generate(request({ sampling: { maxOutputTokens: 3 } }), how());
      expect(reply.text).not.toBe('');
      await models.close();
      await expect(named.generate(request(), how())).rejects.toThrow(/is closed/);
    } finally {
      process.chdir(before);
    }
  });

  it('says what to do where a file or a window is too large [R13-LLAMA-ERRORS]', async () => {
    const library = (await load()) as LlamaLibrary;
    const short = {
      ...library,
      getLlama: async (options: Readonly<Record<string, unknown>>) => {
        const binding = await library.getLlama(options);
        binding.loadModel = () => Promise.reject(new library.InsufficientMemoryError('it has 40 GB' as never));
        return binding;
      },
    };
    await expect(open({ sequences: 4, load: async () => short })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: false,
      message: expect.stringMatching(/not enough memory for .*SmolLM2.*FLYBALL_LLAMA_WINDOW/),
    });
  });
});
