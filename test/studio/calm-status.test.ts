import { describe, expect, it } from 'vitest';
import { calmDelay, isNap } from '../../packages/studio/src/run/calm-status.js';

const running = { status: 'running', nap: false } as const;
const napping = { status: 'suspended', nap: true } as const;
const asking = { status: 'suspended', nap: false } as const;

describe('a calm status', () => {
  it('does not follow a run into every short sleep and out of it [F-D5]', () => {
    expect(calmDelay(running, napping)).toBeGreaterThan(1_000);
    expect(calmDelay(napping, running)).toBeGreaterThan(1_000);
  });

  it('shows at once whatever else changes, and above all that somebody is asked [F-D5]', () => {
    expect(calmDelay(running, asking)).toBe(0);
    expect(calmDelay(napping, asking)).toBe(0);
    expect(calmDelay(asking, running)).toBe(0);
    for (const status of ['done', 'failed', 'paused', 'stalled'] as const)
      expect(calmDelay(running, { status, nap: false })).toBe(0);
  });

  it('takes for a nap only what goes on by itself [F-D5]', () => {
    expect(isNap('suspended', [])).toBe(true);
    expect(isNap('suspended', ['approve:#3'])).toBe(false);
    expect(isNap('suspended', ['wind-changed'])).toBe(false);
    expect(isNap('running', [])).toBe(false);
  });
});
