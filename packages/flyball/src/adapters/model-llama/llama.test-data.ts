import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Model, ModelCallContext, ModelDelta, ModelReply, ModelRequest } from '../../core/model.js';

/** Where `.ci/run llama` puts the package and the weights: neither is part of ours. */
export const FOLDER = resolve('.cache/llama');
export const WEIGHTS = join(FOLDER, 'SmolLM2-135M-Instruct.Q4_1.gguf');
const ENTRY = join(FOLDER, 'node_modules/node-llama-cpp/dist/index.js');

const missing = [ENTRY, WEIGHTS].filter((file) => !existsSync(file));
export const isThere = missing.length === 0;

export function sayWhyNot(): void {
  if (!isThere)
    process.stdout.write(
      `Skipped the tests on SmolLM2-135M: ${missing.join(' and ')} not found. Run: bash .ci/run llama\n`,
    );
}

export const load = (): Promise<unknown> => import(pathToFileURL(ENTRY).href) as Promise<unknown>;

export function request(given: Partial<ModelRequest> = {}): ModelRequest {
  return {
    session: 'test',
    model: 'llama/smollm2',
    messages: [
      { role: 'system', content: 'You are helpful.' },
      { role: 'user', content: 'Tell me about Paris.' },
    ],
    tools: [],
    toolChoice: 'auto',
    ...given,
    sampling: { maxOutputTokens: 12, temperature: 0, seed: 1, ...given.sampling },
  };
}

export function how(given: Partial<ModelCallContext> = {}): ModelCallContext {
  return { signal: new AbortController().signal, key: 'test-key', ...given };
}

/** The reply, and what was told of it while it was written. */
export async function observed(
  model: Model,
  asked: ModelRequest,
): Promise<{ readonly reply: ModelReply; readonly deltas: readonly ModelDelta[] }> {
  const deltas: ModelDelta[] = [];
  const reply = await model.generate(asked, how({ onDelta: (delta) => deltas.push(delta) }));
  return { reply, deltas };
}
