import { describe, expect, it } from 'vitest';
import { modelChoice } from './model-choice.js';

describe('the choice of models', () => {
  it('is made by FLYBALL_MODEL for all roles and FLYBALL_MODEL_<ROLE> for one [R3-MODEL-NAMES]', () => {
    const env = { FLYBALL_MODEL: 'openai/gpt-5-mini', FLYBALL_MODEL_FACT_CHECKER: 'ollama/qwen3', PATH: '/bin' };
    expect(modelChoice(env)).toEqual({
      roles: { default: 'openai/gpt-5-mini', 'fact-checker': 'ollama/qwen3' },
      fallback: {},
    });
  });

  it('takes what follows a comma as fallbacks', () => {
    expect(modelChoice({ FLYBALL_MODEL: 'a/one, b/two ,c/three,' })).toEqual({
      roles: { default: 'a/one' },
      fallback: { default: ['b/two', 'c/three'] },
    });
  });

  it('is laid over that of the settings', () => {
    const settings = { roles: { default: 'a/one', Judge: 'a/two' }, fallback: { default: ['c/three'] } };
    expect(modelChoice({ FLYBALL_MODEL_JUDGE: 'b/two' }, settings)).toEqual({
      roles: { default: 'a/one', judge: 'b/two' },
      fallback: { default: ['c/three'] },
    });
  });

  it('is not made by an empty variable', () => {
    expect(modelChoice({ FLYBALL_MODEL: ' ', FLYBALL_MODEL_: 'a/one', FLYBALL_MODELS: 'a/one' }).roles).toEqual({});
  });
});
