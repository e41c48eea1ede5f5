import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { done } from '../../core/outcome.js';
import type { Run } from '../../core/run.js';
import type { Rested } from '../../ports/dispatcher.js';
import { type DeclareDispatcherTest, numbered } from './dispatcher-fixture.js';

const SLEEP_MS = 600;
/** How long it is watched that nothing happens. */
const QUIET_MS = 400;
/** Calls for a run that has nothing to do: a dispatcher may make some more than it has to, and not one after the other. */
const MOST_CALLS = 5;

const asks = async (run: Run) => done(await run.wait({ name: 'go' }));
const sleeps = async (run: Run) => {
  await run.sleep(SLEEP_MS);
  return done(await run.step('work', null, () => run.id, 'idempotent'));
};

/** What a dispatcher makes of how a run rests. */
export function restingContract(test: DeclareDispatcherTest): void {
  test('has a run that sleeps driven again when its time comes, and not again and again before', async (stage) => {
    const worker = await stage.worker({ sleeps });
    await stage.start(worker, 'sleeps', ['run']);
    await stage.rest('suspended', ['run']);
    const { wakeAt = 0 } = (await stage.engine.get('run')) ?? {};
    const before = worker.calls.length;
    while (stage.clock.now() < wakeAt - 50 && (await stage.engine.get('run'))?.status === 'suspended') await pause(5);
    few(worker.calls.length - before, 'while it slept');
    await stage.rest('done', ['run']);
    const { updatedAt = 0 } = (await stage.engine.get('run')) ?? {};
    assert.ok(updatedAt >= wakeAt, 'a run went on before its time had come');
  });

  test('has a run that sleeps driven again also where the process in which it fell asleep has died', async (stage) => {
    const worker = await stage.worker({ sleeps }, { overdue: 'named' });
    await stage.start(worker, 'sleeps', ['run']);
    await stage.rest('suspended', ['run']);
    await worker.die();
    await stage.worker({ sleeps }, { overdue: 'named' });
    await stage.rest('done', ['run']);
  });

  test('has a run driven again that it is handed when a call has decided how the run rests, and has not answered', async (stage) => {
    let hand = async (): Promise<void> => undefined;
    const drive = async (_: string, own: () => Promise<Rested>): Promise<Rested> => {
      const rested = await own();
      const handing = hand;
      hand = async () => undefined;
      await handing();
      return rested;
    };
    const worker = await stage.worker({ asks }, { drive });
    const desk = await stage.desk({ asks });
    hand = async () => void (await desk.runtime.signal('run', 'go', 1));
    await stage.start(worker, 'asks', ['run']);
    await stage.rest('done', ['run']);
  });

  test('calls nobody again and again for a run that has ended, or waits for a signal', async (stage) => {
    const worker = await stage.worker({ asks });
    await stage.start(worker, 'asks', numbered(2));
    await worker.runtime.signal('run-0', 'go', 1);
    await stage.rest('done', ['run-0']);
    await stage.rest('suspended', ['run-1']);
    const before = worker.calls.length;
    await pause(QUIET_MS);
    few(worker.calls.length - before, 'when both rested');
  });
}

function few(calls: number, when: string): void {
  assert.ok(calls <= MOST_CALLS, `drive was called ${calls} times ${when}`);
}
