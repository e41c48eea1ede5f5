import { describe, expect, it } from 'vitest';
import type { Defect } from '../../../core/work.js';
import { escalationFor, partialIsUseful } from './escalation.js';

function defect(given: Partial<Defect> = {}): Defect {
  return {
    id: 'd',
    dimension: 'correctness',
    description: 'x',
    severity: 0.5,
    scope: 'bounded',
    foundBy: 'critic',
    ...given,
  };
}

const ALL = { hasStronger: true, partialIsUseful: true };
const expert = defect({ needsExpert: true });
const limit = defect({ cause: 'capability-limit' });
const complex = defect({ cause: 'complexity-exceeded' });

describe('an exhausted repair', () => {
  it('goes to a person, a stronger model, a new decomposition, a partial commit, or fails, in this order [R4-REPAIR-ESCALATE]', () => {
    expect(escalationFor([complex, limit, expert], ALL)).toBe('human-review');
    expect(escalationFor([complex, limit], ALL)).toBe('model-upgrade');
    expect(escalationFor([defect(), complex], ALL)).toBe('re-decompose');
    expect(escalationFor([defect()], ALL)).toBe('partial-commit');
    expect(escalationFor([defect()], { ...ALL, partialIsUseful: false })).toBe('fail-with-diagnosis');
  });

  it('does not go to a stronger model that is not there [R4-REPAIR-ESCALATE]', () => {
    expect(escalationFor([complex, limit], { ...ALL, hasStronger: false })).toBe('re-decompose');
    expect(escalationFor([limit], { hasStronger: false, partialIsUseful: true })).toBe('partial-commit');
  });
});

describe('what is unsafe', () => {
  const NOTHING = { hasStronger: false, partialIsUseful: false };
  const unsafe = defect({ dimension: 'safety' });
  const scores = { correctness: 1, completeness: 1, coherence: 1, safety: 1 };

  it('goes to a person instead of failing, by its defects or by its score [R4-REPAIR-ESCALATE]', () => {
    expect(escalationFor([unsafe], NOTHING)).toBe('human-review');
    expect(escalationFor([defect({ cause: 'safety-violation' })], NOTHING)).toBe('human-review');
    expect(escalationFor([{ ...unsafe, cause: 'capability-limit' }], NOTHING)).toBe('human-review');
    expect(escalationFor([defect()], { ...NOTHING, scores: { ...scores, safety: 0.94 } })).toBe('human-review');
    expect(escalationFor([defect()], { ...NOTHING, scores: { ...scores, safety: 0.95 } })).toBe('fail-with-diagnosis');
  });

  it('does so only where nothing comes before it [R4-REPAIR-ESCALATE]', () => {
    expect(escalationFor([unsafe, limit], ALL)).toBe('model-upgrade');
    expect(escalationFor([unsafe, complex], NOTHING)).toBe('re-decompose');
    expect(escalationFor([unsafe], ALL)).toBe('partial-commit');
  });
});

describe('no defect at all', () => {
  it('is decided by what there is, and is never a success [R4-REPAIR-ESCALATE]', () => {
    const nothing = { hasStronger: true, partialIsUseful: false };
    const scores = { correctness: 1, completeness: 1, coherence: 1, safety: 0.5 };
    expect(escalationFor([], ALL)).toBe('partial-commit');
    expect(escalationFor([], { ...nothing, scores })).toBe('human-review');
    expect(escalationFor([], nothing)).toBe('fail-with-diagnosis');
  });
});

describe('a part of the work', () => {
  const given = {
    outputs: { artefacts: [{ name: 'answer', text: 'half' }], reports: [] },
    scores: { correctness: 0.4, completeness: 0.3, coherence: 0.5, safety: 1 },
    schemaOk: true,
    defects: [defect()],
  };

  it('is of use when it is there, well formed, safe, and covers something [R4-REPAIR-ESCALATE]', () => {
    expect(partialIsUseful(given)).toBe(true);
    expect(partialIsUseful({ ...given, outputs: { artefacts: [{ name: 'answer', text: ' \n' }], reports: [] } })).toBe(
      false,
    );
    expect(partialIsUseful({ ...given, schemaOk: false })).toBe(false);
    expect(partialIsUseful({ ...given, scores: { ...given.scores, safety: 0.9 } })).toBe(false);
    expect(partialIsUseful({ ...given, scores: { ...given.scores, completeness: 0 } })).toBe(false);
    expect(partialIsUseful({ ...given, defects: [defect({ dimension: 'safety' })] })).toBe(false);
    const beyond = defect({ dimension: 'safety', cause: 'capability-limit' });
    expect(partialIsUseful({ ...given, defects: [beyond] })).toBe(false);
    expect(partialIsUseful({ ...given, defects: [defect({ foundBy: 'schema' })] })).toBe(false);
  });
});
