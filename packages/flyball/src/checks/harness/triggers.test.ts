import { describe, expect, it } from 'vitest';
import type { TestLevel } from '../contracts.js';
import { runsAt, TEST_TRIGGERS } from './triggers.js';

describe('the triggers of test levels', () => {
  it('run unit tests after each action, integration when all are done, the rest before a commit [R4-VERIFY-TESTS]', () => {
    expect(TEST_TRIGGERS).toEqual({
      unit: 'action',
      integration: 'all-actions',
      behavioral: 'commit',
      regression: 'commit',
    });
  });

  it.each([
    ['action', ['unit']],
    ['all-actions', ['unit', 'integration']],
    ['commit', ['unit', 'integration', 'behavioral', 'regression']],
  ] as const)('include at %s the levels that come earlier [R4-VERIFY-TESTS]', (trigger, levels) => {
    const all = Object.keys(TEST_TRIGGERS) as TestLevel[];
    expect(all.filter((level) => runsAt(level, trigger))).toEqual(levels);
  });
});
