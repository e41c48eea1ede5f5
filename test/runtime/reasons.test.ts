import { blocked, degraded, done, type Outcome, type Run, withoutValue } from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN } from './stage.js';

const reason = { code: 'quorum', data: { need: 3, got: 2 } } as const;

async function vote(run: Run): Promise<Outcome<string>> {
  await run.step('count', null, () => 2, 'pure');
  return degraded('two of three', 'too few have answered', reason);
}

describe('a reason with a code', () => {
  it('reaches the parent of a child, the journal and the record of the run, also after a crash [R11-N10-REASON]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<string>> => {
      const voted = await run.spawn(vote, null, { share: 0.5 });
      return voted.stop === 'done' ? done(voted.value) : withoutValue(voted);
    };
    await stage.crashed(agent, at('after', 'spawn-end'));
    const life = stage.open(agent);
    const { usage: _usage, acts: _acts, ...outcome } = await life.resume();
    expect(outcome).toEqual(blocked('too few have answered', { reason }));
    expect(await life.runtime.get(RUN)).toMatchObject({ status: 'blocked', code: 'quorum' });
  });
});
