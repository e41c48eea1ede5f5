import { useOf } from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import type { DriftRule } from './online/drift-rules.js';
import { onlineEval } from './online/online-eval.js';
import { memorySeries } from './online/series.js';
import { releaseGate } from './suites/gate.js';

const measured = { suite: { name: 's', version: '1', hash: 'h' }, pins: {}, outcomes: [] };

describe('what is a pattern by itself', () => {
  it('V16 says so in the report of a gate [R11-PATTERN-KEPT]', () => {
    expect(useOf(releaseGate(measured, undefined))).toMatchObject({ id: 'V16', name: 'releaseGate' });
  });

  it('V17 says so, with its rules [R11-PATTERN-KEPT]', () => {
    const online = onlineEval({
      rules: [],
      metrics: [],
      agentModels: [],
      series: memorySeries({ keepMs: 1 }),
      sampler: () => ({ take: false, why: 'share' }),
      alert: () => undefined,
    } as never);
    expect(useOf(online)).toMatchObject({ id: 'V17', name: 'onlineEval', params: { rules: [], judge: 'none' } });
  });

  it('a drift rule has to name its method and the class of its signal [V17.5]', () => {
    const rule = { name: 'r', metric: 'm', owner: 'o', runbook: 'b', windowMs: 3_600_000 } as const;
    // @ts-expect-error: neither method nor signal
    const unnamed: DriftRule = rule;
    expect(Object.keys(unnamed)).not.toContain('method');
  });
});
