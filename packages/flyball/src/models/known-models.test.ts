import { describe, expect, it } from 'vitest';
import { PRICES } from '../core/prices.js';
import { capabilitiesOf, UNKNOWN_MODEL, USUAL_OUTPUT_LIMIT } from './known-models.js';

describe('what a model can do', () => {
  it('is known for well-known ones, dated and smaller variants included', () => {
    expect(capabilitiesOf('openai/gpt-5-mini-2025-08-07')).toMatchObject({ window: 400_000, structuredOutput: true });
    expect(capabilitiesOf('openai/gpt-5-chat-latest').window).toBe(128_000);
    expect(capabilitiesOf('anthropic/claude-sonnet-4-5').promptCache).toBe('marked');
    expect(capabilitiesOf('openrouter/openai/gpt-4o')).toEqual(capabilitiesOf('openai/gpt-4o'));
  });

  it('is known for every model that has a price', () => {
    for (const name of Object.keys(PRICES.models)) expect(capabilitiesOf(name).window, name).toBeGreaterThan(100_000);
  });

  it('is little for others, also for such as only begin alike', () => {
    expect(capabilitiesOf('openai/gpt-50')).toEqual(UNKNOWN_MODEL);
    expect(capabilitiesOf('mine/best', { base: { window: 8_192 } })).toEqual({ ...UNKNOWN_MODEL, window: 8_192 });
  });

  it('includes no reply so long that reserving it would use up a small budget, unless that is asked for', () => {
    expect(capabilitiesOf('openai/gpt-5').maxOutputTokens).toBe(USUAL_OUTPUT_LIMIT);
    expect(capabilitiesOf('openai/gpt-5', { override: { maxOutputTokens: 100_000 } }).maxOutputTokens).toBe(100_000);
  });

  it.each([Number.NaN, 0, 1.5, -1])('is refused with a window of %s', (window) => {
    expect(() => capabilitiesOf('a/one', { override: { window } })).toThrow('The window of a/one must be');
  });
});
