import { afterEach } from 'vitest';
import { takeUnpredicted, watchJournals } from './journals-seen.js';

/** Over all tests: a pattern that makes fewer or more model calls than was predicted for it fails the test that ran it. */
watchJournals();

afterEach(() => {
  const broken = takeUnpredicted().map(
    ({ run, path, predicted: { min, max }, modelCalls, how, formula }) =>
      `${path} of run ${run} (${how}): ${modelCalls} model calls, ${min === max ? min : `${min} to ${max}`} predicted${
        formula === undefined ? '' : `; ${formula.made} of its own, and its formula gives ${formula.gives}`
      }`,
  );
  if (broken.length > 0) throw new Error(`The formula of a pattern does not hold:\n${broken.join('\n')}`);
});
