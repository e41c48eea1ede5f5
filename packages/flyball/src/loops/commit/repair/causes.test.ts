import { describe, expect, it } from 'vitest';
import { type Defect, ROOT_CAUSES, type RootCause } from '../../../core/work.js';
import { CAUSES, classify, isCode } from './causes.js';

function defect(given: Partial<Defect>): Defect {
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

describe('the root cause of a defect', () => {
  it('is the one its finder named, whatever else speaks for another [R4-REPAIR-CAUSES]', () => {
    for (const cause of ROOT_CAUSES)
      expect(classify(defect({ cause, foundBy: 'schema', dimension: 'safety', facts: { finish: 'length' } }))).toBe(
        cause,
      );
  });

  const cases: readonly (readonly [RootCause, Partial<Defect>])[] = [
    ['schema-violation', { foundBy: 'schema' }],
    ['factual-error', { foundBy: 'claim', facts: { verdict: 'contradict' } }],
    ['factual-error', { foundBy: 'claim', facts: { evidence: ['e1'] } }],
    ['hallucination', { foundBy: 'claim', facts: { evidence: [] } }],
    ['logic-error', { foundBy: 'test:unit' }],
    ['logic-error', { facts: { expected: '3', actual: '4' } }],
    ['logic-error', { location: { artefact: 'src/sum.ts' } }],
    ['factual-error', { location: { artefact: 'answer' } }],
    ['factual-error', { location: { artefact: 'docs/README.md' } }],
    ['incompleteness', { foundBy: 'requirement' }],
    ['incompleteness', { dimension: 'completeness' }],
    ['coherence-failure', { dimension: 'coherence' }],
    ['safety-violation', { dimension: 'safety' }],
    ['retrieval-gap', { foundBy: 'gap', dimension: 'completeness' }],
    ['tool-failure', { foundBy: 'tool:web_fetch' }],
    ['tool-failure', { dimension: 'completeness', facts: { tool: 'web_fetch' } }],
    ['complexity-exceeded', { foundBy: 'schema', facts: { finish: 'length' } }],
    ['complexity-exceeded', { facts: { code: 'WINDOW_EXCEEDED' } }],
  ];
  it.each(cases)('is %s for %j [R4-REPAIR-CAUSES]', (cause, given) => {
    expect(classify(defect(given))).toBe(cause);
  });

  it('has a sentence for the repair and a usual strategy, each of the eleven [R4-REPAIR-CAUSES]', () => {
    expect(Object.keys(CAUSES).sort()).toEqual([...ROOT_CAUSES].sort());
    expect(ROOT_CAUSES).toHaveLength(11);
    expect(new Set(Object.values(CAUSES).map(({ about }) => about)).size).toBe(11);
  });
});

describe('an artefact', () => {
  it.each([
    ['src/a.ts', true],
    ['Makefile.am', true],
    ['notes.md', false],
    ['answer', false],
    ['v1.2', false],
    ['folder.d/answer', false],
  ])('named %s is code: %s', (name, code) => {
    expect(isCode(name)).toBe(code);
  });
});
