import { describe, expect, it } from 'vitest';
import { measure } from './bench.js';
import { CONDITION } from './claim.js';
import { exactly } from './exactly.js';
import { atLeast, plurality, withSpares } from './formulas.js';
import { CLAIMS, claimsNamed } from './registry.js';
import { reportMarkdown, reportOf } from './report.js';
import { crashed, runClaims } from './run-claims.js';
import { deviations, paired, wilson } from './statistics.js';
import { plotSvg } from './svg.js';
import { drawSweep, SWEEPS } from './sweeps.js';
import { makes24, solve24 } from './worlds/arithmetic.js';
import { evaluate } from './worlds/expression.js';
import { maze } from './worlds/maze.js';
import { currentOf } from './worlds/rfc.js';

describe('expectations', () => {
  it('are counted exactly, and agree with the closed forms [R13-LAB-EXPECTED]', () => {
    const votes = exactly((flip) => ({ value: [1, 2, 3, 4, 5].filter(() => flip(0.6)).length >= 3, calls: 5 }));
    expect(votes.value.mean).toBeCloseTo(atLeast(3, 5, 0.6), 12);
    expect(votes.value.mean).toBeCloseTo(plurality(5, 0.6, 1), 12);
    const retried = exactly((flip) => {
      for (let calls = 1; ; calls++) {
        if (!flip(0.3)) return { value: true, calls };
        if (calls === 3) return { value: false, calls };
      }
    });
    expect(retried.value.mean).toBeCloseTo(1 - 0.3 ** 3, 12);
    expect(retried.calls.mean).toBeCloseTo(1 + 0.3 + 0.09, 12);
    expect(withSpares(4, 0, 0.2)).toBeCloseTo(0.8 ** 4, 12);
    expect(plurality(7, 0.6, 4)).toBeCloseTo(0.901, 3);
    expect(plurality(7, 0.4, 1)).toBeCloseTo(0.29, 3);
  });
});

describe('statistics', () => {
  it('gives Wilson intervals, deviations and McNemar [R13-LAB-PAIRED]', () => {
    const { low, high } = wilson(0, 10);
    expect([low, Number(high.toFixed(4))]).toEqual([0, 0.2775]);
    expect(deviations(0.5, { mean: 0.5, variance: 0 }, 10)).toBe(0);
    expect(deviations(0.6, { mean: 0.5, variance: 0 }, 10)).toBe(Number.POSITIVE_INFINITY);
    const both = paired({ scores: [1, 1, 1, 0], calls: [3, 3, 3, 3] }, { scores: [0, 0, 1, 1], calls: [1, 1, 1, 1] });
    expect(both).toMatchObject({ wins: 2, losses: 1, gain: 0.25, extraCalls: 2, gainPerExtraCall: 0.125, p: 1 });
  });
});

describe('worlds', () => {
  it('know the truth by code [R13-LAB-WORLDS]', () => {
    expect(evaluate('2 + 3 × (4 - 1)')).toBe(11);
    expect(makes24([4, 7, 8, 8], solve24([4, 7, 8, 8]) ?? '')).toBe(true);
    expect(solve24([1, 1, 1, 1])).toBeUndefined();
    expect(makes24([4, 7, 8, 8], '8 × 3')).toBe(false);
    const world = maze(3);
    const [right, other = ''] = world.doors(5, world.start(5));
    expect(world.go(5, world.start(5), right)).not.toBe(world.start(5));
    expect(world.go(5, world.start(5), other)).toBe(world.start(5));
    expect(currentOf(2068)).toBe(9110);
  });
});

describe('the registry', () => {
  it('has for every pattern in it a claim that it loses, or one that holds by code, and no id twice [R13-LAB-REGISTRY] [R13-LAB-ALL]', () => {
    const ids = CLAIMS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const patterns = [...new Set(CLAIMS.map(({ pattern }) => pattern))];
    const never = patterns.filter((id) => !CLAIMS.some(({ pattern, side }) => pattern === id && side === 'loses'));
    expect(never).toEqual(['V10', 'V14']); // views: they cost no call and change no answer
  });

  it('says gains and loses as its own expectations have it, never as somebody likes it [R13-LAB-LOSES]', async () => {
    for (const { id, side, expected, expectedBaseline } of CLAIMS) {
      const [own, before] = [(await expected(60)).value.mean, (await expectedBaseline(60)).value.mean];
      if (side === 'gains' && !id.startsWith('K13')) expect(own, id).toBeGreaterThan(before);
      if (side === 'loses') expect(own, id).toBeLessThanOrEqual(before + 1e-9);
    }
  });

  it('refuses a claim that it does not have', () => {
    expect(() => claimsNamed(['R99'])).toThrow('There is no claim "R99"');
    expect(claimsNamed(['R17']).every(({ pattern }) => pattern === 'R17')).toBe(true);
  });
});

describe('claims', () => {
  const few = claimsNamed(['R7-useful', 'O5-fair', 'S5-leaks', 'V9-never-above']);

  it('hold with few items, and the table says what it is about [R13-LAB-CONDITION] [R13-LAB-5000]', async () => {
    const rows = await runClaims(few, { items: 40, seed: 1 });
    expect(rows.filter(({ holds }) => !holds)).toEqual([]);
    const page = reportMarkdown(reportOf(rows, { items: 40, seed: 1 }));
    expect(page.startsWith(`*${CONDITION}*`)).toBe(true);
    expect(page).toContain('| R7-useful (gains) |');
  });

  it('give the same numbers after a crash at a random write [R13-LAB-CRASH]', async () => {
    for (const { arm, pattern } of few) {
      if (pattern === 'V9') continue; // a call that the crash cut off counts against a cap, so it may make one call fewer
      const setting = { seed: 1, items: 8 };
      const { writes: _all, ...straight } = await measure(arm, setting);
      const { writes: _more, ...again } = await crashed(arm, setting);
      expect({ ...again, ms: [] }, arm.name).toEqual({ ...straight, ms: [] });
    }
  });

  it('are drawn as sweeps: the law as a line, what was measured as dots, the condition below [R13-LAB-SWEEPS]', async () => {
    const [sweep] = SWEEPS;
    if (sweep === undefined) throw new Error('There is no sweep.');
    const picture = plotSvg(await drawSweep(sweep, { items: 4, seed: 1 }));
    expect(picture).toContain(CONDITION);
    expect(picture.match(/<circle/g)).toHaveLength(10);
    expect(picture.match(/<path/g)).toHaveLength(4);
  });
});
