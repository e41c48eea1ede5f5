import { describe, expect, it } from 'vitest';
import type { Scores, VerificationVerdict } from '../../../checks/contracts.js';
import { DEFAULT_RUBRIC } from '../../../checks/rubric.js';
import type { GateResult } from '../contracts.js';
import { bareVerdict, claim, report, verdict } from './exit.test-data.js';
import { gatesOf } from './gates.js';
import { EXIT_DEFAULTS, exitSettings } from './settings.js';
import { scoreThresholds } from './thresholds.js';

const SURE = 0.99;
const gates = (of: VerificationVerdict, confidence = SURE) => gatesOf(of, confidence, EXIT_DEFAULTS);
const scored = (changes: Partial<Scores>) => verdict({ scores: { ...verdict().scores, ...changes } });

function gate(name: GateResult['gate'], of: VerificationVerdict, confidence = SURE): GateResult {
  const found = gates(of, confidence).find((one) => one.gate === name);
  if (found === undefined) throw new Error(`no gate ${name}`);
  return found;
}

const closed = (of: VerificationVerdict, confidence = SURE) =>
  gates(of, confidence)
    .filter(({ passed }) => !passed)
    .map((one) => one.gate);

describe('the gates', () => {
  it('are these nine with the highest demand on each score, in this order [R4-EXIT-GATES]', () => {
    expect(gates(verdict()).map((one) => [one.gate, one.threshold, one.passed])).toEqual([
      ['schema', 1, true],
      ['correctness', 0.9, true],
      ['completeness', 0.85, true],
      ['coherence', 0.85, true],
      ['safety', 0.98, true],
      ['rubric', 0.8, true],
      ['tests', 1, true],
      ['consistency', 0.7, true],
      ['confidence', 0.7, true],
    ]);
  });

  const consistent = (score: number) =>
    verdict({ consistency: { score, verdict: 'pass', n: 3, best: 0, voting: 'majority' } });
  it.each([
    ['correctness', scored({ correctness: 0.899 }), scored({ correctness: 0.9 })],
    ['correctness', verdict({ composite: 0.899 }), verdict({ composite: 0.9 })],
    ['completeness', scored({ completeness: 0.849 }), scored({ completeness: 0.85 })],
    ['coherence', scored({ coherence: 0.849 }), scored({ coherence: 0.85 })],
    ['safety', scored({ safety: 0.979 }), scored({ safety: 0.98 })],
    ['rubric', verdict({ aggregate: 0.799 }), verdict({ aggregate: 0.8 })],
    ['tests', verdict({ testPassRate: 0.999 }), verdict({ testPassRate: 1 })],
    ['consistency', consistent(0.699), consistent(0.7)],
    ['schema', verdict({ schemaOk: false }), verdict()],
  ] as const)('close %s alone below its threshold and open it there [R4-EXIT-GATES]', (name, below, at) => {
    expect(closed(below)).toEqual([name]);
    expect(closed(at)).toEqual([]);
  });

  it('put confidence where a rejection begins, and nothing between review and auto-commit [R4-EXIT-GATES]', () => {
    expect(closed(verdict(), 0.699)).toEqual(['confidence']);
    expect(closed(verdict(), 0.7)).toEqual([]);
    expect(closed(verdict(), 0.89)).toEqual([]);
  });

  it('take the composite for correctness only where claims were judged [R4-EXIT-GATES]', () => {
    expect(gate('correctness', verdict({ composite: 0.3, claims: [claim('neutral')] })).score).toBe(0.3);
    expect(gate('correctness', verdict({ composite: 0.3, claims: [] })).score).toBe(1);
    expect(gate('correctness', verdict({ ...scored({ correctness: 0.2 }), composite: 0.9 })).score).toBe(0.2);
  });

  it('pass what does not apply, say why, and give it no score it did not earn [R4-EXIT-GATES]', () => {
    expect(gate('tests', bareVerdict())).toEqual({
      gate: 'tests',
      score: 1,
      threshold: 1,
      passed: true,
      note: 'no tests',
    });
    expect(gate('consistency', bareVerdict())).toEqual({
      gate: 'consistency',
      score: 0.7,
      threshold: 0.7,
      passed: true,
      note: 'not sampled',
    });
  });

  it('do not pass what was to be measured and was not, whatever the threshold [R4-EXIT-GATES]', () => {
    const lax = exitSettings({ gates: { tests: 0, consistency: 0 } });
    const skipped = (level: string) => bareVerdict({ skipped: [{ level, why: 'nobody answered' }] });
    for (const [level, name] of [
      ['consistency', 'consistency'],
      ['tests', 'tests'],
      ['test:integration', 'tests'],
    ] as const) {
      expect(gatesOf(skipped(level), SURE, lax).filter(({ passed }) => !passed)).toEqual([
        { gate: name, score: 0, threshold: 0, passed: false, note: 'nobody answered' },
      ]);
    }
    expect(closed(bareVerdict({ skipped: [{ level: 'semantic', why: 'nothing is claimed' }] }))).toEqual([]);
  });

  it('close correctness where claims were to be checked and were not, whatever the threshold and the judge [R4-EXIT-GATES]', () => {
    const lax = exitSettings({ gates: { correctness: 0 } });
    const unmet = bareVerdict({ skipped: [{ level: 'semantic', why: 'REPLY_INVALID', unmet: true }] });
    expect(gatesOf(unmet, SURE, lax).filter(({ passed }) => !passed)).toEqual([
      { gate: 'correctness', score: 0, threshold: 0.9, passed: false, note: 'REPLY_INVALID' },
    ]);
    for (const why of ['nothing is claimed', 'no session was given for them'])
      expect(closed(bareVerdict({ skipped: [{ level: 'semantic', why }] }))).toEqual([]);
    expect(closed(verdict({ skipped: [{ level: 'factual', why: 'no authority', unmet: true }] }))).toEqual([]);
  });

  it('say why nobody scored a dimension [R4-EXIT-GATES]', () => {
    const unscored = (level: string) => ({ ...scored({ safety: 0 }), skipped: [{ level, why: 'nobody judged it' }] });
    const noted = { gate: 'safety', score: 0, threshold: 0.98, passed: false, note: 'nobody judged it' };
    expect(gate('safety', unscored('rubric'))).toEqual(noted);
    expect(gate('safety', unscored('rubric:safety'))).toEqual(noted);
    expect(gate('safety', unscored('rubric:coherence'))).not.toHaveProperty('note');
    expect(gate('correctness', unscored('rubric'))).not.toHaveProperty('note');
  });

  it('take no tests that could not be run, or a command without tests, for a pass [R4-EXIT-GATES]', () => {
    const broken = verdict({
      tests: [report({}), report({ level: 'integration', command: 'npm run it', problem: 'not found' })],
    });
    expect(gate('tests', broken)).toEqual({
      gate: 'tests',
      score: 0,
      threshold: 1,
      passed: false,
      note: 'npm run it: not found',
    });
    const emptied = verdict({ tests: [report({ passed: 0, skipped: 5 })] });
    expect(gate('tests', emptied)).toMatchObject({ passed: false, note: 'the test commands ran no test' });
  });

  it('are not passed by a score that is no number [R4-EXIT-GATES]', () => {
    expect(closed(scored({ safety: Number.NaN }), Number.NaN)).toEqual(['safety', 'confidence']);
  });

  it('open to a score that equals its threshold but for rounding', () => {
    const summed = 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1;
    expect(summed).toBeLessThan(0.8);
    expect(closed(verdict({ aggregate: summed }))).toEqual([]);
  });
});

describe('the settings of the exit', () => {
  it('complete what is given, gate by gate [R4-EXIT-GATES]', () => {
    const settings = exitSettings({ gates: { tests: 0.9 }, pAuto: 0.99, weights: { repairs: 1 } });
    expect(settings.gates).toEqual({ ...EXIT_DEFAULTS.gates, tests: 0.9 });
    expect(settings).toMatchObject({ pAuto: 0.99, pReview: 0.7, weights: { ...EXIT_DEFAULTS.weights, repairs: 1 } });
    expect(exitSettings()).toEqual(EXIT_DEFAULTS);
    expect(gatesOf(verdict({ testPassRate: 0.95 }), SURE, settings).every(({ passed }) => passed)).toBe(true);
  });

  it.each([
    [{ pAuto: 1.1 }, 'pAuto of the exit must lie between 0 and 1, got 1.1.'],
    [{ pAuto: 0.6 }, 'pReview of the exit cannot be above pAuto, got 0.7 and 0.6.'],
    [{ novelty: Number.NaN }, 'novelty'],
    [{ gates: { safety: -1 } }, 'safety of the exit'],
    [{ gates: { speed: 1 } }, 'There is no "speed" among the settings of the gates.'],
    [{ p_auto: 1 }, 'There is no "p_auto" among the settings of the exit.'],
    [{ weights: { fluency: 1 } }, 'There is no "fluency" among the settings of the confidence weights.'],
    [{ weights: { critic: -1 } }, 'critic of the confidence weights must be finite and at least 0, got -1.'],
    [{ weights: { bias: Number.NaN } }, 'bias'],
    [{ weights: { verify: 0 } }, 'the one feature that is always there'],
  ])('refuse %j', (given, sentence) => {
    expect(() => exitSettings(given as Parameters<typeof exitSettings>[0])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(sentence) }),
    );
  });
});

describe('what a score has to reach', () => {
  const control = { setpoint: { correctness: 0.7, completeness: 0.9, coherence: 0.5, safety: 1 }, epsilon: 0.05 };
  const rubric = {
    ...DEFAULT_RUBRIC,
    dimensions: DEFAULT_RUBRIC.dimensions.map((one) => ({ ...one, minimum: one.name === 'coherence' ? 0.97 : 0.1 })),
  };

  it('is the highest of what gate, rubric and controller ask for [F-T5]', () => {
    const gates = { ...EXIT_DEFAULTS.gates, correctness: 0.92, completeness: 0.2, coherence: 0.3, safety: 0.4 };
    expect(scoreThresholds({ gates, rubric, control })).toEqual({
      dimensions: { correctness: 0.92, completeness: 0.85, coherence: 0.97, safety: 0.95 },
      sum: 0.8,
    });
  });
});
