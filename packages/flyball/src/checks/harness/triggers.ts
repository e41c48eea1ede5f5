import type { TestLevel, VerifyContext } from '../contracts.js';

/** When tests run. */
export type TestTrigger = VerifyContext['trigger'];

/** The moment from which on a level is run: unit tests after each action, acceptance and regression before a commit. */
export const TEST_TRIGGERS: Readonly<Record<TestLevel, TestTrigger>> = {
  unit: 'action',
  integration: 'all-actions',
  behavioral: 'commit',
  regression: 'commit',
};

const ORDER: readonly TestTrigger[] = ['action', 'all-actions', 'commit'];

/** A later moment includes the earlier ones: what is about to be committed has passed its unit tests as it stands now. */
export function runsAt(level: TestLevel, trigger: TestTrigger): boolean {
  return ORDER.indexOf(trigger) >= ORDER.indexOf(TEST_TRIGGERS[level]);
}
