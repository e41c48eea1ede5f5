import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../ports/engine.js';
import {
  append,
  bodies,
  claimBy,
  type DeclareTest,
  due,
  entry,
  LEASE_MS,
  message,
  newRun,
  nobodyIsGone,
  owner,
  renewed,
  reopened,
  START,
  takenOver,
} from './engine-fixture.js';
import { refuses } from './suite.js';

/** Longer than any engine polls. */
const MOST_LOOKS = 1_000;
const LOOK_MS = 10;

/** Two that have the same data open at once, as two processes do. */
export function sharedContract(test: DeclareTest): void {
  const shared = (title: string, body: (here: Engine, there: Engine) => Promise<void>): void =>
    test(title, async (here, opened) => {
      const there = await reopened(opened);
      if (there === undefined) return;
      try {
        await body(here, there);
      } finally {
        await there.close();
      }
    });

  shared('shows what another process has written, and lets it go on from there', async (here, there) => {
    await here.create(newRun('a'));
    assert.deepEqual(await there.get('a'), await here.get('a'));
    await refuses(there.create(newRun('a')), 'RUN_EXISTS');
    const claim = await claimBy(there, 'a', 'there');
    await append(there, claim, 1);
    assert.deepEqual(await bodies(here, 'a'), await bodies(there, 'a'));
    assert.equal(await here.post('a', message('m')), 'accepted');
    assert.equal(await there.post('a', message('m')), 'duplicate');
    const [received] = await there.inbox('a', 0);
    await there.append(claim, { entries: [entry(2)], taken: [received?.number ?? 0] });
    assert.deepEqual(await here.inbox('a', 0), []);
    await there.release(claim, { status: 'suspended', wakeAt: START, waiting: [], now: START });
    assert.deepEqual(await due(here), ['a']);
    await append(here, await claimBy(here, 'a', 'here'), 3);
    assert.equal((await bodies(there, 'a')).length, 4);
  });

  shared('lets one process own a run, and tells the other that its claim is stale', async (here, there) => {
    await here.create(newRun('a'));
    const both = await Promise.allSettled([claimBy(here, 'a', 'here'), claimBy(there, 'a', 'there')]);
    const [won, ...others] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.ok(won !== undefined && others.length === 0, 'not exactly one of two claims succeeded');
    const [winner, loser] = won.record.owner?.id === 'here' ? [here, there] : [there, here];
    await append(winner, won, 1);
    const next = await takenOver(loser, 'a', 'next');
    await append(loser, next, 2);
    await refuses(append(winner, won, 2), 'JOURNAL_CONFLICT');
    await refuses(winner.append(won, { entries: [entry(3)] }), 'JOURNAL_CONFLICT');
    assert.deepEqual(await renewed(winner, [won], START + 9 * LEASE_MS), ['a']);
    await winner.release(won, { status: 'done', now: START });
    assert.equal((await loser.get('a'))?.status, 'running');
  });

  shared('gives each run to one of several processes that take at once', async (here, there) => {
    const ids = Array.from({ length: 24 }, (_, n) => `run-${String(n).padStart(2, '0')}`);
    for (const id of ids) await here.create(newRun(id));
    const query = { now: START, limit: 4, agents: ['agent'], isGone: nobodyIsGone };
    const got = (await there.take(query, { owner: owner('first'), leaseMs: LEASE_MS })).map(({ runId }) => runId);
    assert.equal(got.length, query.limit);
    for (let round = 0; got.length < ids.length && round < ids.length; round++) {
      const taken = await Promise.all(
        [here, there, here, there].map((engine, n) =>
          engine.take(query, { owner: owner(`worker-${n}`), leaseMs: LEASE_MS }),
        ),
      );
      got.push(...taken.flat().map(({ runId }) => runId));
    }
    assert.deepEqual(got.sort(), ids);
  });

  shared('takes one of two answers that two processes send at once', async (here, there) => {
    await here.create(newRun('a'));
    const wait = { token: 'token', generation: 0, seq: 1, asked: true, since: START };
    await here.append(await claimBy(here, 'a', 'here'), { entries: [entry(1)], opened: [wait] });
    const answer = (id: string) => message(id, { kind: 'answer', name: 'token' });
    const both = await Promise.all([here.post('a', answer('yes')), there.post('a', answer('no'))]);
    assert.deepEqual([...both].sort(), ['accepted', 'answered']);
    assert.equal((await here.inbox('a', 0)).length, 1);
  });

  shared('loses no cancellation that another process sends while a run is given back', async (here, there) => {
    for (let n = 0; n < 40; n++) {
      const id = `run-${n}`;
      await here.create(newRun(id));
      const claim = await claimBy(here, id, 'here');
      const cancel = async (): Promise<string | undefined> => {
        await there.post(id, message('m', { kind: 'cancel' }));
        return (await there.get(id))?.status;
      };
      const rest = { status: 'bounded', unlessCancelled: true, now: START } as const;
      const [seen] = await Promise.all([cancel(), here.release(claim, rest)]);
      // whoever sees it at its bound puts it in line
      if (seen !== 'bounded')
        assert.equal((await here.get(id))?.status, 'pending', `it was ${seen} when it was cancelled`);
    }
  });

  shared('calls those who watch after another process has posted to a run that lives here', async (here, there) => {
    await here.create(newRun('a'));
    await claimBy(here, 'a', 'here');
    const heard = new Set<string | undefined>();
    const stop = here.watch((runId) => heard.add(runId));
    try {
      for (let looks = 0; !heard.has('a') && !heard.has(undefined); looks++) {
        // again and again: whoever watches may not listen from the first moment on
        if (looks % 100 === 0) await there.post('a', message(`m${looks}`));
        assert.ok(looks < MOST_LOOKS, 'nobody was told of a message that another process had posted');
        await pause(LOOK_MS);
      }
    } finally {
      stop();
    }
  });
}
