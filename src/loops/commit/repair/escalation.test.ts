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
    expect(partialIsUseful({ ...given, defects: [defect({ foundBy: 'schema' })] })).toBe(false);
  });
});
