import { describe, expect, it } from 'vitest';
import type { ApprovalTrigger, ExitReport, GateResult } from '../contracts.js';
import { bareVerdict, verdict } from './exit.test-data.js';
import { type ExitDecision, exitDecision } from './exit-decision.js';
import { dispositionOf, type ExitInput, exitReport } from './exit-report.js';
import { noveltyOf } from './novelty.js';
import { EXIT_DEFAULTS, exitSettings } from './settings.js';
import { approvalTriggers, riskOf, type TriggerInput } from './triggers.js';

describe('the disposition', () => {
  it.each([
    [1, 'auto-commit'],
    [0.95, 'auto-commit'],
    [0.9499, 'human-review'],
    [0.7, 'human-review'],
    [0.6999, 'reject'],
    [0, 'reject'],
    [Number.NaN, 'reject'],
  ] as const)('of a confidence of %s is %s [R4-EXIT-DISPOSITION]', (confidence, disposition) => {
    expect(dispositionOf(confidence)).toBe(disposition);
  });

  it('follows thresholds of its own [R4-EXIT-DISPOSITION]', () => {
    expect(dispositionOf(0.95, { pAuto: 0.99, pReview: 0.96 })).toBe('reject');
    expect(dispositionOf(0.97, { pAuto: 0.99, pReview: 0.96 })).toBe('human-review');
  });
});

describe('novelty', () => {
  const overlap = (text: string, other: { readonly text: string }): number => {
    const [a, b] = [new Set(text.split(' ')), new Set(other.text.split(' '))];
    return [...a].filter((word) => b.has(word)).length / new Set([...a, ...b]).size;
  };

  it('is what the most similar task seen lacks in likeness [R4-EXIT-TRIGGERS]', () => {
    const seen = [{ text: 'paint the shed' }, { text: 'fix the failing build' }, { text: 'write a letter' }];
    expect(noveltyOf('fix the failing build', seen, overlap)).toBe(0);
    expect(noveltyOf('fix the broken build', seen, overlap)).toBeCloseTo(1 - 3 / 5, 12);
    expect(noveltyOf('translate poems', seen, overlap)).toBe(1);
  });

  it('is complete where nothing was seen [R4-EXIT-TRIGGERS]', () => {
    expect(noveltyOf('anything', [], overlap)).toBe(1);
  });

  it('hands vectors to the similarity that is given [R4-EXIT-TRIGGERS]', () => {
    const own = [1, 0];
    const cosine = (_: string, { vector = [] }: { readonly vector?: readonly number[] }) =>
      own.reduce((sum, x, n) => sum + x * (vector[n] ?? 0), 0);
    const seen = [{ text: 'a', vector: [0, 1] }, { text: 'b', vector: [0.6, 0.8] }, { text: 'c' }];
    expect(noveltyOf('new', seen, cosine)).toBeCloseTo(0.4, 12);
  });

  it('stays between 0 and 1, and takes a likeness that is no number for none [R4-EXIT-TRIGGERS]', () => {
    const seen = [{ text: 'x' }];
    expect(noveltyOf('x', seen, () => 1.0000001)).toBe(0);
    expect(noveltyOf('x', seen, () => -1)).toBe(1);
    expect(noveltyOf('x', [...seen, ...seen], () => Number.NaN)).toBe(1);
  });
});

const CALM: TriggerInput = {
  confidence: 0.95,
  irreversible: [],
  requiresApproval: false,
  novelty: 0.7,
  budgetExceeded: false,
  hasPartialOutput: true,
  safety: 0.98,
};

/** What sets off each trigger and nothing else, from the threshold on. */
const SETS_OFF: Readonly<Record<ApprovalTrigger, Partial<TriggerInput>>> = {
  'confidence-below-auto-commit': { confidence: 0.9499 },
  'irreversible-mutation': { irreversible: ['send_mail'] },
  'task-requires-approval': { requiresApproval: true },
  'novel-task': { novelty: 0.7001 },
  'budget-exceeded-with-partial-output': { budgetExceeded: true },
  'safety-below-gate': { safety: 0.9799 },
};
const ALL = Object.keys(SETS_OFF) as ApprovalTrigger[];
const subsets = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: 2 ** list.length }, (_, bits) => list.filter((_item, n) => (bits >> n) & 1));

describe('the approval triggers', () => {
  it('are silent where every value is just good enough [R4-EXIT-TRIGGERS]', () => {
    expect(approvalTriggers(CALM, EXIT_DEFAULTS)).toEqual([]);
  });

  it('fire each for its own reason, in all 64 combinations [R4-EXIT-TRIGGERS] [O5.users]', () => {
    const sets = subsets(ALL);
    expect(sets).toHaveLength(64);
    for (const set of sets) {
      const input = Object.assign({ ...CALM }, ...set.map((name) => SETS_OFF[name])) as TriggerInput;
      expect([...approvalTriggers(input, EXIT_DEFAULTS)].sort()).toEqual([...set].sort());
    }
  });

  it('do not ask about a budget that was exceeded with nothing to show [R4-EXIT-TRIGGERS]', () => {
    expect(approvalTriggers({ ...CALM, budgetExceeded: true, hasPartialOutput: false }, EXIT_DEFAULTS)).toEqual([]);
  });

  it('ask a person where a value is no number [R4-EXIT-TRIGGERS]', () => {
    const unknown = { ...CALM, confidence: Number.NaN, novelty: Number.NaN, safety: Number.NaN };
    expect(approvalTriggers(unknown, EXIT_DEFAULTS)).toEqual([
      'confidence-below-auto-commit',
      'novel-task',
      'safety-below-gate',
    ]);
  });

  it('let novelty be switched off, and it alone [R4-EXIT-TRIGGERS]', () => {
    expect(approvalTriggers({ ...CALM, novelty: 1 }, exitSettings({ novelty: 1 }))).toEqual([]);
  });

  it('make a risk of the gravest of them', () => {
    expect(riskOf([])).toBe('low');
    expect(riskOf(['novel-task'])).toBe('medium');
    expect(riskOf(['novel-task', 'irreversible-mutation'])).toBe('high');
    expect(riskOf([...ALL])).toBe('critical');
  });
});

const INPUT: ExitInput = {
  task: { id: 't', goal: 'g', requirements: [], taskClass: 'c' },
  verdict: verdict(),
  outputs: { artefacts: [{ name: 'answer', text: 'x' }], reports: [] },
  repairs: 0,
  irreversible: [],
  novelty: 0,
  budgetExceeded: false,
};

describe('an exit report', () => {
  it('of a clean result opens every gate and asks nobody [R4-EXIT-GATES] [R4-EXIT-DISPOSITION]', () => {
    const report = exitReport(INPUT);
    expect(report).toMatchObject({ disposition: 'auto-commit', triggers: [], risk: 'low' });
    expect(report.gates.map(({ passed }) => passed)).toEqual(Array(9).fill(true));
    expect(report.gates.at(-1)).toEqual({ gate: 'confidence', score: report.confidence, threshold: 0.7, passed: true });
    expect(exitDecision(report, { repairsLeft: true }).decision).toBe('commit');
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('hands every trigger what it looks at [R4-EXIT-TRIGGERS]', () => {
    const unsafe = verdict({ scores: { ...verdict().scores, safety: 0.9 } });
    const cases: readonly (readonly [Partial<ExitInput>, ApprovalTrigger])[] = [
      [{ irreversible: ['pay'] }, 'irreversible-mutation'],
      [{ task: { ...INPUT.task, requiresApproval: true } }, 'task-requires-approval'],
      [{ novelty: 0.9 }, 'novel-task'],
      [{ budgetExceeded: true }, 'budget-exceeded-with-partial-output'],
      [
        { budgetExceeded: true, outputs: { artefacts: [], reports: [], value: 1 } },
        'budget-exceeded-with-partial-output',
      ],
      [{ verdict: unsafe }, 'safety-below-gate'],
      [{ repairs: 4 }, 'confidence-below-auto-commit'],
    ];
    for (const [change, trigger] of cases) expect(exitReport({ ...INPUT, ...change }).triggers).toEqual([trigger]);
    expect(exitReport({ ...INPUT, budgetExceeded: true, outputs: { artefacts: [], reports: [] } }).triggers).toEqual(
      [],
    );
  });

  it('is surer of what the model was surer of [R4-EXIT-CONFIDENCE]', () => {
    const sure = (logProb: number) => exitReport({ ...INPUT, outputs: { ...INPUT.outputs, logProb } }).confidence;
    expect(sure(-2)).toBeLessThan(sure(-0.1));
  });

  it('follows the settings it is given [R4-EXIT-GATES] [R4-EXIT-DISPOSITION]', () => {
    const strict = exitSettings({ pAuto: 0.999, gates: { consistency: 1 }, weights: { bias: -9.5 } });
    const report = exitReport({ ...INPUT, settings: strict });
    expect(report).toMatchObject({ disposition: 'human-review', triggers: ['confidence-below-auto-commit'] });
    expect(report.confidence).toBeLessThan(exitReport(INPUT).confidence);
    expect(report.gates.find(({ gate }) => gate === 'consistency')?.threshold).toBe(1);
  });

  it('of a poor result that was barely measured rejects it [R4-EXIT-DISPOSITION]', () => {
    const poor = bareVerdict({ composite: 0.4, aggregate: 0.8 });
    const report = exitReport({ ...INPUT, verdict: poor });
    expect(report.disposition).toBe('reject');
    expect(report.gates.filter(({ passed }) => !passed).map(({ gate }) => gate)).toEqual(['confidence']);
  });
});

describe('the exit decision', () => {
  const NAMES = [
    'schema',
    'correctness',
    'completeness',
    'coherence',
    'safety',
    'tests',
    'consistency',
    'confidence',
  ] as const;
  const DISPOSITIONS = ['auto-commit', 'human-review', 'reject'] as const;
  const gateOf = (gate: GateResult['gate'], passed: boolean): GateResult => ({
    gate,
    score: 0.5,
    threshold: 0.8,
    passed,
  });

  /** The rules once more, as a list of what has to hold. */
  function expected(closed: number, asked: boolean, disposition: ExitReport['disposition'], repairsLeft: boolean) {
    if (closed > 0) return repairsLeft ? 'repair' : 'escalate';
    if (disposition === 'reject') return repairsLeft ? 'repair' : 'fail';
    return disposition === 'human-review' || asked ? 'ask-person' : 'commit';
  }

  it('is the one of the rules for every combination of gates, disposition, triggers and repairs [R4-EXIT-DISPOSITION] [R4-EXIT-GATES]', () => {
    const seen = new Map<ExitDecision['decision'], number>();
    for (const closed of subsets(NAMES))
      for (const triggers of subsets(ALL))
        for (const disposition of DISPOSITIONS)
          for (const repairsLeft of [true, false]) {
            const gates = NAMES.map((name) => gateOf(name, !closed.includes(name)));
            const report: ExitReport = { gates, confidence: 0.8, disposition, triggers, risk: 'low' };
            const { decision, why } = exitDecision(report, { repairsLeft });
            const counted = closed.filter((name) => name !== 'confidence').length;
            if (decision !== expected(counted, triggers.length > 0, disposition, repairsLeft))
              expect.unreachable(JSON.stringify({ closed, triggers, disposition, repairsLeft, decision }));
            if (why === '') expect.unreachable('every decision says why');
            seen.set(decision, (seen.get(decision) ?? 0) + 1);
          }
    expect([...seen.values()].reduce((sum, n) => sum + n, 0)).toBe(256 * 64 * 3 * 2);
    // with the confidence gate open or closed: the disposition decides, not the gate
    expect(Object.fromEntries(seen)).toEqual({
      repair: 127 * 2 * 64 * 3 + 2 * 64,
      escalate: 127 * 2 * 64 * 3,
      fail: 2 * 64,
      'ask-person': 2 * 64 * 2 + 2 * 63 * 2,
      commit: 2 * 2,
    });
  });

  const base: ExitReport = {
    gates: NAMES.map((name) => gateOf(name, true)),
    confidence: 0.9876,
    disposition: 'auto-commit',
    triggers: [],
    risk: 'low',
  };
  it.each([
    [base, true, 'All gates are open, with a confidence of 0.987, and nothing asks for a person.'],
    [
      { ...base, triggers: ['novel-task'] },
      true,
      'All gates are open, with a confidence of 0.987; a person is asked for: novel-task.',
    ],
    [
      { ...base, disposition: 'human-review' },
      true,
      'All gates are open, with a confidence of 0.987; that asks for a review.',
    ],
    [{ ...base, disposition: 'reject' }, true, 'All gates are open, but a confidence of 0.987 is rejected.'],
    [
      { ...base, disposition: 'reject' },
      false,
      'All gates are open, but a confidence of 0.987 is rejected, and no repairs are left.',
    ],
    [
      { ...base, gates: [gateOf('safety', false), { ...gateOf('tests', false), note: 'could not be run' }] },
      false,
      'Closed gates: safety 0.5 of 0.8, tests 0.5 of 0.8 (could not be run), and no repairs are left.',
    ],
  ] as const)('says why: case %#', (report, repairsLeft, why) => {
    expect(exitDecision(report as ExitReport, { repairsLeft }).why).toBe(why);
  });
});
