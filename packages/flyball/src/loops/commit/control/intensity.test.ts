import { expect, it } from 'vitest';
import { intensityToStrategy, STRATEGY_BANDS } from './intensity.js';

it.each([
  [0, 'minimal-edit'],
  [0.3, 'minimal-edit'],
  [0.31, 'section-rewrite'],
  [0.7, 'section-rewrite'],
  [0.71, 'full-regeneration'],
  [1, 'full-regeneration'],
  [7, 'full-regeneration'],
] as const)('an intensity of %s asks for %s', (intensity, strategy) => {
  expect(intensityToStrategy(intensity)).toBe(strategy);
});

it('the bands rise to 1 without a gap', () => {
  const bounds = STRATEGY_BANDS.map(({ upTo }) => upTo);
  expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
  expect(bounds.at(-1)).toBe(1);
});
