import { budget, createModels, memoryEngine, type Outcome, systemClock } from 'flyball';
import type { ToolLoopResult } from 'flyball/loops';
import { modelServer, type ServerScript } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WireFormat } from '../../packages/flyball/src/testing/model-server/wire.js';
import { ANSWER, openLibrary, TASK, TURNS } from './task.js';
import { openRuntime } from './wire-stage.js';

interface Named {
  readonly model: string;
  readonly format: WireFormat;
  /** The variables that a user sets for it. */
  env(baseUrl: string): Readonly<Record<string, string>>;
}

const NAMED: readonly Named[] = [
  {
    model: 'openai/gpt-4o',
    format: 'openai-chat',
    env: (baseUrl) => ({ OPENAI_API_KEY: 'key-for-loopback', OPENAI_BASE_URL: baseUrl }),
  },
  { model: 'ollama/qwen3:8b', format: 'ollama', env: (baseUrl) => ({ OLLAMA_HOST: baseUrl }) },
  { model: 'anthropic/claude-haiku-4-5', format: 'anthropic', env: () => ({ ANTHROPIC_API_KEY: 'key-for-loopback' }) },
  { model: 'google/gemini-2.5-flash', format: 'gemini', env: () => ({ GEMINI_API_KEY: 'key-for-loopback' }) },
];

describe('a tool loop whose model is chosen by name', () => {
  for (const named of NAMED) {
    it(`finds ${named.model} by the environment and works over its wire [R3-SHOW-WIRE]`, async () => {
      const server = await serve(TURNS);
      const { outcome } = await loop([named], { [named.model]: server });
      expect(outcome).toMatchObject({ stop: 'done', value: { output: ANSWER, model: named.model } });
      expect(new Set(server.requests.map(({ format }) => format))).toEqual(new Set([named.format]));
      server.assertFinished();
    });
  }

  it('falls back along the names after the comma, across wires [R3-SHOW-WIRE]', async () => {
    const busy = await serve(() => ({ misbehave: '429', retryAfter: 3_600 }));
    const up = await serve(TURNS);
    const [first, , third] = NAMED;
    if (first === undefined || third === undefined) throw new Error('There are too few names.');
    const { outcome } = await loop([first, third], { [first.model]: busy, [third.model]: up });
    expect(outcome).toMatchObject({ stop: 'done', value: { output: ANSWER, model: third.model } });
    expect(busy.requests).toHaveLength(TURNS.length); // an hour is not waited for
    up.assertFinished();
  });
});

type Server = Awaited<ReturnType<typeof modelServer>>;

async function serve(replies: ServerScript): Promise<Server> {
  const server = await modelServer({ replies });
  onTestFinished(() => server.close());
  return server;
}

/** The first name is asked, the others may answer in its place. */
async function loop(
  names: readonly Named[],
  servers: Readonly<Record<string, Server>>,
): Promise<{ readonly outcome: Outcome<ToolLoopResult> }> {
  const addressOf = ({ model, format }: Named): string => servers[model]?.baseUrl(format) ?? '';
  const env = Object.assign({}, ...names.map((named) => named.env(addressOf(named)))) as Record<string, string>;
  const models = await createModels({
    env: { ...env, FLYBALL_MODEL: names.map(({ model }) => model).join(', ') },
    config: {
      // these two have no variable for their address
      providers: Object.fromEntries(
        names
          .filter(({ format }) => format === 'anthropic' || format === 'gemini')
          .map((named) => [named.model.split('/')[0] ?? '', { baseUrl: addressOf(named) }]),
      ),
    },
  });
  const library = openLibrary();
  const model = models.forRole('default');
  const runtime = openRuntime({ model, library, clock: systemClock(), engine: memoryEngine() });
  onTestFinished(() => {
    runtime.abandon();
    library.close();
  });
  const handle = await runtime.start('librarian', TASK, { budget: budget({}) });
  return { outcome: (await handle.outcome()) as Outcome<ToolLoopResult> };
}
