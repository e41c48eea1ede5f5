import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Price } from './model.js';
import { costOf, PRICES, priceOf, withPrices, worstCost } from './prices.js';

const price: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

describe('prices', () => {
  it('prices plain, cached and written prompt tokens apart [R2-COST-TABLE]', () => {
    const usage = { input: 1_000_000, output: 200_000, cacheRead: 500_000, cacheWrite: 100_000 };
    expect(costOf(usage, price)).toBeCloseTo(0.4 * 3 + 0.5 * 0.3 + 0.1 * 3.75 + 0.2 * 15, 12);
  });

  it("knows the paper's five models, with cache rates, the day and the place they were read [F-E2] [R8-EVAL-PRICES]", () => {
    const models = [
      'anthropic/claude-haiku-4-5',
      'alibaba/qwen3.5-flash',
      'google/gemini-3.1-flash-lite',
      'deepseek/deepseek-v4-flash',
      'deepseek/deepseek-v4-pro',
    ];
    for (const model of models) {
      const listed = priceOf(model);
      expect(listed, model).toMatchObject({ cacheRead: expect.any(Number), cacheWrite: expect.any(Number) });
      expect(listed?.cacheRead, model).toBeLessThan(listed?.input ?? 0);
      expect(listed?.asOf ?? PRICES.asOf, model).toMatch(/^2026-\d\d-\d\d$/);
    }
    expect(models.slice(1).every((model) => (priceOf(model)?.from ?? '') !== '')).toBe(true);
  });

  it('prices a call without cache figures at the input price', () => {
    expect(costOf({ input: 1000, output: 100 }, price)).toBeCloseTo(0.0045, 12);
  });

  it('prices cached tokens like any other where the model has no price for them', () => {
    const plain = { input: 3, output: 15 };
    expect(costOf({ input: 1000, output: 0, cacheRead: 400, cacheWrite: 100 }, plain)).toBeCloseTo(0.003, 12);
    expect(worstCost(1_000_000, 0, plain)).toBe(3);
  });

  it('does not take from the bill what a provider reports as cached beyond the prompt', () => {
    expect(costOf({ input: 100, output: 0, cacheRead: 1000 }, price)).toBeCloseTo(0.0003, 12);
  });

  it('never costs more than the worst case that was reserved for it [R2-BUDGET-RESERVE]', () => {
    const part = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(part, part, part, part, (plain, cacheRead, cacheWrite, output) => {
        const input = plain + cacheRead + cacheWrite;
        const cost = costOf({ input, output, cacheRead, cacheWrite }, price);
        expect(cost).toBeLessThanOrEqual(worstCost(input, output, price) + 1e-9);
      }),
    );
    expect(worstCost(1_000_000, 0, price)).toBe(3.75); // a prompt may be written to the cache as a whole
  });

  it('knows no price for an unknown model, rather than none at all', () => {
    expect(priceOf('nobody/nothing', PRICES)).toBeUndefined();
    expect(priceOf('constructor', PRICES)).toBeUndefined();
    expect(priceOf('anthropic/claude-sonnet-4-5', PRICES)).toEqual(price);
  });

  it('lists every price with a date, a provider and a cheaper cache [R2-COST-TABLE]', () => {
    expect(PRICES.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const [model, listed] of Object.entries(PRICES.models)) {
      expect(model).toMatch(/^[a-z]+\/[\w.-]+$/);
      expect(listed.cacheRead).toBeLessThan(listed.input);
      expect(listed.cacheWrite).toBeGreaterThanOrEqual(listed.input);
      expect(listed.output).toBeGreaterThan(listed.input);
    }
  });

  it('takes overrides without touching the table they are laid over [R2-COST-TABLE]', () => {
    const own = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
    const table = withPrices(PRICES, { 'openai/gpt-5': own, 'local/llama': own });
    expect(priceOf('local/llama', table)).toEqual(own);
    expect(priceOf('openai/gpt-5', table)).toEqual(own);
    expect(priceOf('openai/gpt-5-mini', table)).toEqual(priceOf('openai/gpt-5-mini', PRICES));
    expect(priceOf('local/llama', PRICES)).toBeUndefined();
  });

  it('refuses a price that is not a number of at least 0', () => {
    expect(() => withPrices(PRICES, { 'a/b': { ...price, output: -1 } })).toThrow('output price of a/b');
    expect(() => withPrices(PRICES, { 'a/b': { ...price, input: Number.NaN } })).toThrow('input price of a/b');
  });
});
