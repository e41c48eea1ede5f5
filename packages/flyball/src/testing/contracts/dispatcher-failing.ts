import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { FlyballError } from '../../core/errors.js';
import { done } from '../../core/outcome.js';
import type { Run } from '../../core/run.js';
import type { Rested } from '../../ports/dispatcher.js';
import { type DeclareDispatcherTest, numbered } from './dispatcher-fixture.js';

const quick = async (run: Run) => done(await run.step('work', null, () => run.id, 'idempotent'));

/** Keeps the first body that is made under each key under way, until it is let go. */
function heldSteps() {
  const keys: string[] = [];
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const body = (_: unknown, { key }: { readonly key: string }): Promise<void> | undefined => {
    keys.push(key);
    return keys.filter((each) => each === key).length === 1 ? held : undefined;
  };
  const agent = async (run: Run) => {
    await run.step('work', null, body, 'idempotent');
    return done(run.id);
  };
  return { keys, agent, letGo: () => letGo() };
}

/** What a dispatcher makes of calls that fail, and of processes that die and leave. */
export function failingContract(test: DeclareDispatcherTest): void {
  test('makes a call again that rejects', async (stage) => {
    let failures = 0;
    const drive = async (_: string, own: () => Promise<Rested>): Promise<Rested> => {
      if (failures++ < 3) throw new Error('The contract has this call fail.');
      return own();
    };
    const worker = await stage.worker({ quick }, { drive });
    await stage.start(worker, 'quick', ['run']);
    await stage.rest('done', ['run']);
  });

  test('calls another process where one refuses what is better off elsewhere', async (stage) => {
    const drive = async (runId: string): Promise<Rested> => {
      throw new FlyballError('RUN_UNLOADED', `Run ${runId} belongs to another version.`, { retryable: true });
    };
    await stage.worker({ quick }, { drive });
    await stage.worker({ quick });
    const desk = await stage.desk({ quick });
    await stage.start(desk, 'quick', numbered(6));
    await stage.rest('done', numbered(6));
  });

  test('has another process go on where one died in the middle of a run', async (stage) => {
    const { keys, agent, letGo } = heldSteps();
    const worker = await stage.worker({ agent }, { overdue: 'named' });
    await stage.start(worker, 'agent', ['run']);
    await stage.until(
      () => keys.length === 1,
      () => 'the run was not begun',
    );
    await stage.worker({ agent }, { overdue: 'named' });
    await worker.die();
    await stage.rest('done', ['run']);
    letGo();
    assert.equal(keys.length, 2, 'a step was not made again exactly once');
    assert.equal(new Set(keys).size, 1, 'a step was made again under another key');
  });

  test('leaves a run to the process that works on it, whatever comes for it meanwhile', async (stage) => {
    const { keys, agent, letGo } = heldSteps();
    const workers = [await stage.worker({ agent }), await stage.worker({ agent })];
    const desk = await stage.desk({ agent });
    await stage.start(desk, 'agent', ['run']);
    await stage.until(
      () => keys.length === 1,
      () => 'the run was not begun',
    );
    for (let n = 0; n < 4; n++) await desk.runtime.signal('run', 'other', n);
    await pause(200);
    letGo();
    await stage.rest('done', ['run']);
    assert.equal(keys.length, 1, `a run was taken from a process that worked on it (calls: ${callsOf(workers)})`);
  });

  test('calls a process no more that has left', async (stage) => {
    const leaving = await stage.worker({ quick });
    await stage.worker({ quick });
    const desk = await stage.desk({ quick });
    await stage.start(desk, 'quick', numbered(4, 'early'));
    await stage.rest('done', numbered(4, 'early'));
    await leaving.runtime.close();
    const before = leaving.calls.length;
    await stage.start(desk, 'quick', numbered(6));
    await stage.rest('done', numbered(6));
    assert.equal(leaving.calls.length - before, 0, 'drive was called of a process that had left');
  });

  test('has another process go on with what one gives back when it leaves', async (stage) => {
    const { keys, agent, letGo } = heldSteps();
    const leaving = await stage.worker({ agent });
    await stage.start(leaving, 'agent', ['run']);
    await stage.until(
      () => keys.length === 1,
      () => 'the run was not begun',
    );
    await stage.worker({ agent });
    await leaving.runtime.close();
    await stage.rest('done', ['run']);
    letGo();
  });
}

function callsOf(workers: readonly { readonly calls: readonly string[] }[]): string {
  return workers.map(({ calls }) => calls.length).join(' and ');
}
