import { describe, expect, it } from 'vitest';
import { ProgressMeter } from './open-effects.js';

describe('the progress meter', () => {
  it('counts repeats in a row that bring an earlier result, and starts again with anything new [R2-BUDGET-NO-PROGRESS]', () => {
    const meter = new ProgressMeter();
    expect(meter.record('look', 'nothing')).toBe(0);
    expect(meter.record('look', 'nothing')).toBe(1);
    expect(meter.record('look', 'nothing')).toBe(2);
    expect(meter.record('look', 'something')).toBe(0);
    expect(meter.record('look', 'nothing')).toBe(1); // alternating between known results is no progress either
    expect(meter.record('look', 'something')).toBe(2);
    expect(meter.record('ask', 'nothing')).toBe(0);
  });
});
