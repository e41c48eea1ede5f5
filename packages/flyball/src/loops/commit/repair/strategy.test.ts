import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Defect } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';
import { EMPTY_RATES, MIN_SAMPLES, type RepairRates, recordRepair, successRate } from './rates.js';
import { chooseStrategy, STRATEGIES, type StrategyContext, strength } from './strategy.js';

const AT_LINE = { location: { artefact: 'src/a.ts', line: 12 } } as const;

function defect(given: Partial<Defect> = {}): Defect {
  return {
    id: 'd',
    dimension: 'correctness',
    description: 'x',
    severity: 0.5,
    scope: 'bounded',
    foundBy: 'test:unit',
    ...given,
  };
}

function chosen(of: Defect, given: Partial<StrategyContext> = {}): Strategy {
  return chooseStrategy(of, { intensity: 0, fromIntensity: () => 'minimal-edit', rates: EMPTY_RATES, ...given })
    .strategy;
}

/** `resolved` of ten tries. */
function rates(strategy: Strategy, resolved: number, tries = 10, before: RepairRates = EMPTY_RATES): RepairRates {
  let made = before;
  for (let n = 0; n < tries; n++) made = recordRepair(made, { cause: 'logic-error', strategy, resolved: n < resolved });
  return made;
}

describe('a repair strategy', () => {
  it.each<readonly [Strategy, Partial<Defect>]>([
    ['minimal-edit', { severity: 0.8, ...AT_LINE }],
    ['section-rewrite', { severity: 0.81, ...AT_LINE }],
    ['section-rewrite', { severity: 0.2 }],
    ['section-rewrite', { severity: 0.2, location: { artefact: 'src/a.ts', section: 'sum' } }],
    ['section-rewrite', { severity: 0.2, location: { artefact: 'src/a.ts', line: 1, endLine: 90 } }],
    ['section-rewrite', { severity: 0.9 }],
    ['full-regeneration', { severity: 0.91, ...AT_LINE }],
    ['full-regeneration', { severity: 0.1, scope: 'global', ...AT_LINE }],
    ['full-regeneration', { severity: Number.NaN, ...AT_LINE }],
  ])('is %s for %j [R4-REPAIR-STRATEGY]', (strategy, given) => {
    expect(chosen(defect(given))).toBe(strategy);
  });

  it('is the stronger of what the controller and the severity ask [R4-REPAIR-STRATEGY]', () => {
    const light = defect({ severity: 0.1, ...AT_LINE });
    expect(chosen(light, { intensity: 0.5, fromIntensity: () => 'section-rewrite' })).toBe('section-rewrite');
    expect(chosen(light, { intensity: 1, fromIntensity: () => 'full-regeneration' })).toBe('full-regeneration');
    expect(chosen(defect({ severity: 1 }), { fromIntensity: () => 'minimal-edit' })).toBe('full-regeneration');
    expect(
      chosen(light, { intensity: 0.25, fromIntensity: (u) => (u === 0.25 ? 'section-rewrite' : 'minimal-edit') }),
    ).toBe('section-rewrite');
  });

  it('passes over what rarely helped against this cause [R4-REPAIR-STRATEGY]', () => {
    const light = defect({ severity: 0.1, ...AT_LINE });
    expect(chosen(light, { rates: rates('minimal-edit', 4) })).toBe('section-rewrite');
    expect(chosen(light, { rates: rates('minimal-edit', 5) })).toBe('minimal-edit');
    expect(chosen(light, { rates: rates('section-rewrite', 0, 10, rates('minimal-edit', 0)) })).toBe(
      'full-regeneration',
    );
    expect(chosen({ ...light, cause: 'factual-error' }, { rates: rates('minimal-edit', 0) })).toBe('minimal-edit');
  });

  it('does not judge by a few tries [R4-REPAIR-STRATEGY]', () => {
    const light = defect({ severity: 0.1, ...AT_LINE });
    expect(chosen(light, { rates: rates('minimal-edit', 0, MIN_SAMPLES - 1) })).toBe('minimal-edit');
    expect(chosen(light, { rates: rates('minimal-edit', 0, MIN_SAMPLES) })).toBe('section-rewrite');
  });

  it('is the likeliest one where none is likely', () => {
    const known = rates('full-regeneration', 1, 10, rates('section-rewrite', 3, 10, rates('minimal-edit', 2)));
    expect(chosen(defect({ severity: 0.1, ...AT_LINE }), { rates: known })).toBe('section-rewrite');
  });

  it('is another one than those that failed, a weaker one only where nothing else is left', () => {
    const light = defect({ severity: 0.1, ...AT_LINE });
    expect(chosen(light, { avoid: ['minimal-edit'] })).toBe('section-rewrite');
    expect(chosen(light, { avoid: ['minimal-edit', 'section-rewrite'] })).toBe('full-regeneration');
    const heavy = defect({ severity: 1, ...AT_LINE });
    expect(chosen(heavy, { avoid: ['full-regeneration'] })).toBe('section-rewrite');
    expect(chosen(heavy, { avoid: ['full-regeneration', 'section-rewrite'] })).toBe('minimal-edit');
    expect(chosen(defect({ severity: 1 }), { avoid: ['full-regeneration', 'section-rewrite'] })).toBe(
      'full-regeneration',
    );
    expect(chosen(light, { avoid: STRATEGIES })).toBe('minimal-edit'); // what usually mends a logic error
  });

  it('says why it was chosen', () => {
    const context: StrategyContext = { intensity: 0.333, fromIntensity: () => 'section-rewrite', rates: EMPTY_RATES };
    expect(chooseStrategy(defect({ severity: 0.1, ...AT_LINE }), context).why).toContain('intensity 0.33');
    expect(chooseStrategy(defect({ severity: 0.95 }), context).why).toContain('0.95');
  });

  it('is never weaker than asked while something that strong is left, and never a window without a line', () => {
    const strategies = fc.constantFrom(...STRATEGIES);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined }),
        strategies,
        fc.subarray([...STRATEGIES]),
        (severity, line, controller, avoid) => {
          const of = defect({ severity, location: { artefact: 'a.ts', ...(line === undefined ? {} : { line }) } });
          const strategy = chosen(of, { fromIntensity: () => controller, avoid });
          if (line === undefined) expect(strategy).not.toBe('minimal-edit');
          if (!avoid.includes('full-regeneration'))
            expect(strength(strategy)).toBeGreaterThanOrEqual(strength(controller));
          if (avoid.length < 2) expect(avoid).not.toContain(strategy);
        },
      ),
    );
  });
});

describe('success rates', () => {
  it('are counted by cause and strategy, and survive JSON [R4-REPAIR-STRATEGY]', () => {
    const made = JSON.parse(JSON.stringify(rates('section-rewrite', 7, 10, rates('minimal-edit', 1)))) as RepairRates;
    expect(successRate(made, 'logic-error', 'section-rewrite')).toBe(0.7);
    expect(successRate(made, 'logic-error', 'minimal-edit')).toBe(0.1);
    expect(successRate(made, 'logic-error', 'full-regeneration')).toBeUndefined();
    expect(successRate(made, 'hallucination', 'minimal-edit')).toBeUndefined();
    expect(EMPTY_RATES).toEqual({});
  });
});
