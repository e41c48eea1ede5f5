import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { done } from '../../core/outcome.js';
import type { Run } from '../../core/run.js';
import { type DeclareDispatcherTest, type DispatcherStage, numbered } from './dispatcher-fixture.js';

const quick = async (run: Run) => done(await run.step('work', null, () => run.id, 'idempotent'));
const asks = async (run: Run) => done(await run.wait({ name: 'go' }));

/** What a dispatcher is handed gets to a process that works on it. */
export function handingContract(test: DeclareDispatcherTest): void {
  test('has a run driven to its end that was started in a process that works on none', async (stage) => {
    await stage.worker({ quick });
    const desk = await stage.desk({ quick });
    await stage.start(desk, 'quick', ['run']);
    await stage.rest('done', ['run']);
  });

  test('has driven what was dispatched before anybody attended, once somebody does', async (stage) => {
    const desk = await stage.desk({ quick });
    await stage.start(desk, 'quick', numbered(3));
    await pause(50);
    await stage.worker({ quick });
    await stage.rest('done', numbered(3));
  });

  test('loses nothing that it was handed by a process that died right after', async (stage) => {
    const desk = await stage.desk({ quick });
    await stage.start(desk, 'quick', numbered(3));
    await desk.die();
    await stage.worker({ quick }, { overdue: 'named' });
    await stage.rest('done', numbered(3));
  });

  const told = async (
    stage: DispatcherStage,
    tell: (runtime: Desk) => Promise<unknown>,
    ended: 'done' | 'cancelled',
  ) => {
    await stage.worker({ asks });
    const desk = await stage.desk({ asks });
    await stage.start(desk, 'asks', ['run']);
    await stage.rest('suspended', ['run']);
    await tell(desk.runtime);
    await stage.rest(ended, ['run']);
  };
  test('has a waiting run driven that is sent a signal', (stage) =>
    told(stage, (runtime) => runtime.signal('run', 'go', 1), 'done'));
  test('has a waiting run driven that is cancelled', (stage) =>
    told(stage, (runtime) => runtime.cancel('run'), 'cancelled'));
  test('has a paused run driven that is resumed', (stage) => {
    const pausing = async (runtime: Desk): Promise<void> => {
      await runtime.pause('run');
      await stage.rest('paused', ['run']);
      await runtime.signal('run', 'go', 1);
      await runtime.resume('run');
    };
    return told(stage, pausing, 'done');
  });

  test('has runs driven by processes that have their agents', async (stage) => {
    const [letters, numbers] = [numbered(6, 'letter'), numbered(6, 'number')];
    await stage.worker({ letter: quick });
    await stage.worker({ number: quick });
    const desk = await stage.desk({ letter: quick, number: quick });
    await stage.start(desk, 'letter', letters);
    await stage.start(desk, 'number', numbers);
    await stage.rest('done', [...letters, ...numbers]);
  });

  test('has many runs driven at once, more than its processes have room for', async (stage) => {
    const options = { worker: { concurrency: 4 } };
    for (let n = 0; n < 2; n++) await stage.worker({ quick }, { options });
    const desk = await stage.desk({ quick });
    await stage.start(desk, 'quick', numbered(50));
    await stage.rest('done', numbered(50));
  });

  test('finds a run that nobody told it of', async (stage) => {
    const silent = await stage.desk({ quick }, true);
    await stage.start(silent, 'quick', ['run']);
    await stage.worker({ quick }, { overdue: 'named' });
    await stage.rest('done', ['run']);
    assert.equal((await stage.engine.get('run'))?.crashes, 0);
  });
}

type Desk = Awaited<ReturnType<DispatcherStage['desk']>>['runtime'];
