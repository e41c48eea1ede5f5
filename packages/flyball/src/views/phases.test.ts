import { expect, it } from 'vitest';
import { JournalBuilder, phase, runStart } from './fixtures.test-data.js';
import { PhaseFold } from './phases.js';

it('holds a phase in its scope and inside it, until the next one there', () => {
  const fold = new PhaseFold();
  const journal = new JournalBuilder().add(runStart(), phase('PLAN'), phase('DRAFT', '/a'));
  for (const entry of journal.entries) fold.apply(entry);
  expect(['', '/b', '/a', '/a/b', '/ab'].map((scope) => fold.at(scope))).toEqual([
    'PLAN',
    'PLAN',
    'DRAFT',
    'DRAFT',
    'PLAN',
  ]);
  expect(fold.last).toBe('DRAFT');
});

it('takes no other note for a phase', () => {
  const fold = new PhaseFold();
  const journal = new JournalBuilder().add({ type: 'note', path: '', event: { kind: 'verdict', phase: 'PLAN' } });
  journal.add({ type: 'note', path: '', event: { kind: 'phase' } });
  for (const entry of journal.entries) fold.apply(entry);
  expect(fold.at('')).toBeUndefined();
});
