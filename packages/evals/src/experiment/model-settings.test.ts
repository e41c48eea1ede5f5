import { describe, expect, it } from 'vitest';
import type { Model, ModelCapabilities } from '../../../flyball/src/core/model.js';
import { capabilitiesOf } from '../../../flyball/src/models/known-models.js';
import { priceFor, samplingFor } from './model-settings.js';

const named = (name: string): { readonly name: string; readonly model: Model } => ({
  name,
  model: { id: name, capabilities: capabilitiesOf(name) as ModelCapabilities } as Model,
});

describe('what a model is told', () => {
  it('is the word on its use, then on the model, then the default [F-E1]', () => {
    const settings = {
      default: { temperature: 0.1, reasoningEffort: 'low', maxOutputTokens: 100 },
      'a/b': { temperature: 0.2, reasoningEffort: 'high' },
      user: { temperature: 0.3 },
    };
    expect(samplingFor(settings, { ...named('a/b'), use: 'user' })).toEqual({
      temperature: 0.3,
      reasoningEffort: 'high',
      maxOutputTokens: 100,
    });
    expect(samplingFor(settings, { ...named('c/d'), use: 'agent' })).toMatchObject({ temperature: 0.1 });
  });

  it('holds no temperature for a model that is known to refuse one, unless somebody gives it one [F-E1]', () => {
    for (const name of ['openai/gpt-5', 'openai/gpt-5-mini', 'openai/o3', 'openrouter/openai/gpt-5'])
      expect(samplingFor({}, { ...named(name), use: 'agent' })).toEqual({});
    for (const name of ['openai/gpt-5-chat', 'openai/gpt-4.1', 'deepseek/deepseek-v4-pro', 'nobody/knows'])
      expect(samplingFor({}, { ...named(name), use: 'agent' })).toEqual({ temperature: 0 });
    expect(samplingFor({ 'openai/o3': { temperature: 1 } }, { ...named('openai/o3'), use: 'agent' })).toEqual({
      temperature: 1,
    });
  });
});

it('costs what is said of it, else what is known, else the default [F-E2]', () => {
  const [own, known, other] = [1, 2, 3].map((input) => ({ input, output: 0 })) as [Price, Price, Price];
  const settings = { default: { price: other }, 'a/b': { price: own } };
  expect(priceFor(settings, 'a/b', known)).toBe(own);
  expect(priceFor(settings, 'c/d', known)).toBe(known);
  expect(priceFor(settings, 'c/d', undefined)).toBe(other);
  expect(priceFor({}, 'c/d', undefined)).toBeUndefined();
});

interface Price {
  readonly input: number;
  readonly output: number;
}
