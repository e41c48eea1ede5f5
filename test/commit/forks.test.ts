import { forkPoints } from 'flyball/views';
import { expect, it } from 'vitest';
import { RUN } from '../runtime/stage.js';
import { resultOf, runCommit } from './stage-commit.js';

it('a commit can be forked after it, by somebody else, and says the same of itself [F-X8]', async () => {
  const { stage, life, outcome } = await runCommit({}, {});
  const entries = await stage.entries();
  const committed = entries.findLast(({ event }) => event.type === 'complete')?.seq ?? -1;
  expect(forkPoints(entries)).toContain(committed);
  const fork = await life.runtime.fork(RUN, { at: committed, id: 'fork', by: 'operator' });
  const again = await fork.outcome();
  expect(again).toMatchObject({ stop: 'done' });
  expect(resultOf({ outcome: again as typeof outcome }).provenance).toEqual(resultOf({ outcome }).provenance);
});
