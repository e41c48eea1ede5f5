import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, newDesk, whileAnswering } from '../processes/desk.js';
import { killAll, type Remote, type RemoteOpening, remote } from '../processes/remote.js';
import { LATER_MS } from '../programs/process-agents.js';
import { repetitions } from '../repetitions.js';

const SAMPLE = [4, 10, 2, 7, 13].slice(0, repetitions({ sample: 2, full: 5 })).flatMap((commit) => [
  { commit, when: 'before' as const },
  { commit, when: 'after' as const },
]);

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  killAll();
  await desk.close();
});

async function opened(opening: Omit<RemoteOpening, 'path'> = {}): Promise<Remote> {
  const process = remote();
  await process.open({ path: desk.path, ...opening });
  return process;
}

async function linesOf(runId: string): Promise<readonly unknown[]> {
  const lines = (await desk.ledger.effects()).filter(({ key }) => key.startsWith(`${runId}:`));
  return lines.map(({ what }) => what).sort();
}

it('a process killed inside a commit that two runs share loses and doubles nothing of either [R2-SHOW-CRASH-GROUP] [R2-SHOW-KILLS]', async () => {
  const job = { ledger: desk.ledger.url, rounds: 1 };
  const calm = await opened();
  await calm.start('mixture', job, { id: 'calm' });
  const expected = await whileAnswering(desk, 'calm', () => calm.finished('calm'));
  expect(expected).toMatchObject({ stop: 'done' });
  await calm.kill();

  let deaths = 0;
  for (const dieAt of SAMPLE) {
    const runIds = ['a', 'b'].map((name) => `${name}-${dieAt.when}-${dieAt.commit}`);
    const doomed = await opened({ strike: { signal: 'SIGKILL', at: 'commit', nth: dieAt.commit, when: dieAt.when } });
    const both = Promise.all(runIds.map((id) => doomed.start('mixture', job, { id }).then(() => doomed.finished(id))));
    const [one = '', two = ''] = runIds;
    const outcomes = await whileAnswering(desk, one, () =>
      whileAnswering(desk, two, async () => {
        // on a fast disk the runs can be over in fewer commits: then there was nothing to die in
        if ((await Promise.race([doomed.exited, both])) === 'SIGKILL') deaths++;
        else await doomed.kill();
        await desk.ledger.effects(); // it has read whatever the dead process had sent
        const heir = await opened({ aheadMs: LATER_MS });
        for (const id of runIds)
          if ((await desk.engine.get(id)) === undefined) await heir.start('mixture', job, { id });
        const ended = await Promise.all(runIds.map((id) => heir.finished(id)));
        await heir.kill();
        return ended;
      }),
    );
    for (const outcome of outcomes)
      expect('value' in outcome && outcome.value).toEqual('value' in expected && expected.value);
    for (const id of runIds) expect(await linesOf(id), id).toEqual(await linesOf('calm'));
  }
  expect(deaths).toBeGreaterThan(SAMPLE.length / 2);
});
