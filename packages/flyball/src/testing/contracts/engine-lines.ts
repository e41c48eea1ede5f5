import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../ports/engine.js';
import {
  append,
  bodies,
  claimBy,
  claimed,
  type DeclareTest,
  entry,
  LEASE_MS,
  message,
  newRun,
  type OpenEngine,
  owner,
  START,
} from './engine-fixture.js';
import { refuses } from './suite.js';

/** How long a call is left without an answer. One that is not refused by then may find out later what became of it. */
const LOST_MS = 1_000;

type What = 'answers' | 'requests';

/** What came of a call: undefined where it resolved. */
type Came = { readonly code?: unknown } | undefined;

/** Does something with connections that break, and answers what came of it. */
type Lose = (call: () => Promise<unknown>) => Promise<Came>;

/** What is said of a write whose connection broke is true, and whoever was told that nobody knows may make it again. */
export function linesContract(test: DeclareTest): void {
  for (const what of ['answers', 'requests'] as const) {
    const lossy = (title: string, body: (engine: Engine, lose: Lose, opened: OpenEngine) => Promise<void>): void =>
      test(`${title} when ${what} are lost`, async (engine, opened) => {
        const { lose } = opened;
        if (lose === undefined) return;
        await warm(engine);
        await body(engine, (call) => unheard((work) => lose(what, work), call), opened);
      });

    lossy('creates a run once, or says that it cannot tell,', async (engine, lose) => {
      const came = await lose(() => engine.create(newRun('a')));
      const isStored = (await engine.get('a')) !== undefined;
      judge(came, { what, isStored });
      if (isStored) await refuses(engine.create(newRun('a')), 'RUN_EXISTS');
      else await engine.create(newRun('a'));
      assert.equal((await bodies(engine, 'a')).length, 1, 'a run was not created once');
    });

    lossy('appends a batch once, or says that it cannot tell,', async (engine, lose) => {
      const claim = await claimed(engine, 'a');
      const came = await lose(() => append(engine, claim, 1, 2));
      const stored = (await bodies(engine, 'a')).length - 1;
      assert.ok(stored === 0 || stored === 2, `${stored} of the 2 entries of a batch are stored`);
      judge(came, { what, isStored: stored > 0 });
      await append(engine, claim, 1, 2);
      await append(engine, claim, 1, 2);
      await append(engine, claim, 3);
      assert.deepEqual(
        await bodies(engine, 'a'),
        [0, 1, 2, 3].map((seq) => entry(seq).body),
      );
    });

    lossy('gives a run up once, or says that it cannot tell,', async (engine, lose) => {
      const claim = await claimed(engine, 'a');
      const rest = { status: 'suspended', waiting: ['approval'], now: START } as const;
      const came = await lose(() => engine.release(claim, rest));
      judge(came, { what, isStored: (await engine.get('a'))?.status === 'suspended' });
      await engine.release(claim, rest);
      assert.equal((await engine.get('a'))?.status, 'suspended');
      await append(engine, await claimBy(engine, 'a', 'next'), 1);
    });

    lossy('takes a message once, or says that it cannot tell,', async (engine, lose) => {
      await engine.create(newRun('a'));
      const came = await lose(() => engine.post('a', message('m')));
      const isStored = (await engine.inbox('a', 0)).length > 0;
      judge(came, { what, isStored });
      assert.equal(await engine.post('a', message('m')), isStored ? 'duplicate' : 'accepted');
      await engine.post('a', message('n'));
      assert.deepEqual(
        (await engine.inbox('a', 0)).map(({ id }) => id),
        ['m', 'n'],
      );
    });

    lossy('lets an owner claim a run once more, or says that it cannot tell,', async (engine, lose) => {
      await engine.create(newRun('a'));
      const came = await lose(() => claimBy(engine, 'a', 'me'));
      judge(came, { what, isStored: (await engine.get('a'))?.owner?.id === 'me' });
      const isGone = ({ id }: { readonly id: string }) => id === 'me'; // by whoever knows of no claim of its own
      const again = await engine.claim('a', { owner: owner('me'), now: START, leaseMs: LEASE_MS, isGone });
      await append(engine, again, 1);
      assert.equal((await engine.get('a'))?.owner?.id, 'me');
    });
  }
}

/** What the engine opens only when it needs it is there by then. */
async function warm(engine: Engine): Promise<void> {
  const claim = await claimed(engine, 'warm');
  await append(engine, claim, 1);
  await engine.post('warm', message('warm'));
  await engine.release(claim, { status: 'done', now: START });
}

async function unheard(
  lose: (work: () => Promise<void>) => Promise<void>,
  call: () => Promise<unknown>,
): Promise<Came> {
  let settled: Promise<Came> = Promise.resolve(undefined);
  await lose(async () => {
    settled = call().then(
      () => undefined,
      (error: unknown) => error as NonNullable<Came>,
    );
    await Promise.race([settled, pause(LOST_MS)]);
  });
  return settled;
}

/** STORAGE_UNCERTAIN may always be said, and every other code of storage only where nothing is stored. */
function judge(came: Came, { what, isStored }: { readonly what: What; readonly isStored: boolean }): void {
  assert.ok(isStored || what === 'requests', '`lose` let no write reach the storage where only answers are to be lost');
  if (came === undefined) return assert.ok(isStored, 'a write resolved that is not stored');
  const code = String(came.code);
  const said = `a write was refused with ${code}`;
  assert.ok(
    !isStored || code === 'STORAGE_UNCERTAIN',
    `${said}, which says that nothing was written, and it is stored`,
  );
  assert.ok(code.startsWith('STORAGE_'), `${said}, which is no code of storage`);
}
