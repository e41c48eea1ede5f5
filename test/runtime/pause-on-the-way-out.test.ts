import { budget, createRuntime, done, memoryEngine, type Outcome, type Run, type Runtime, type Tool } from 'flyball';
import { turns, virtualClock } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A branch that has something to undo loses against one whose own race ends at once, and which reached a bound. */
function racing(world: string[]) {
  const note = (what: string) => async (): Promise<void> => {
    world.push(what);
  };
  const tool: Tool<unknown, unknown> = {
    name: 'lookup',
    description: 'Looks something up.',
    effect: 'idempotent',
    execute: note('lookup'),
  };
  return async (run: Run): Promise<Outcome<unknown>> => {
    await run.step('before', 1, note('before'), 'idempotent');
    await run.first<unknown>([
      (branch) => branch.step('book', 1, note('book'), { class: 'undoable', compensate: note('unbook') }),
      (branch) => branch.first<unknown>([async () => 1, (inner) => inner.call(tool, {})]),
    ]);
    return done('end');
  };
}

/** Asks for the stop so many microtasks after the run's journal has its n-th entry; answers how the run stands then. */
async function stoppedAt(nth: number, later: number, stop: (runtime: Runtime) => Promise<unknown>) {
  const world: string[] = [];
  const engine = memoryEngine();
  const open = () => createRuntime({ engine, agents: { racing: racing(world) }, clock: virtualClock() });
  const runtime = open();
  let seen = 0;
  let asked: Promise<unknown> = Promise.resolve();
  const ask = async (): Promise<void> => {
    for (let passed = 0; passed < later; passed++) await undefined;
    await stop(runtime);
  };
  runtime.subscribe((_run, entries) => {
    for (const _entry of entries) if (++seen === nth) asked = ask();
  });
  onTestFinished(() => runtime.abandon());
  const handle = await runtime.start('racing', null, { id: 'run', budget: budget({ toolCalls: 0 }) });
  handle.finished().catch(() => undefined); // the runtime is closed under it
  await turns(60);
  await Promise.race([asked, turns(60)]);
  const { status } = await runtime.get('run');
  runtime.abandon();
  return { status, world, open };
}

const TIMES = [2, 3, 4, 5, 6].flatMap((nth) => [0, 1, 2, 4, 8].map((later) => ({ nth, later })));

describe('a run that is asked to stop while a bound is on its way to its code, with a branch to undo', () => {
  it('comes to rest, and undoes the branch once [R7-TRIAL-B2]', async () => {
    for (const { nth, later } of TIMES) {
      const { status, world, open } = await stoppedAt(nth, later, (runtime) => runtime.pause('run'));
      expect(['paused', 'bounded', 'done'], `${nth}, ${later}`).toContain(status);
      if (status === 'paused') {
        const again = open();
        expect(['bounded', 'done']).toContain((await (await again.resume('run')).outcome()).stop);
        again.abandon();
      }
      expect(world.filter((what) => what === 'unbook')).toHaveLength(world.filter((what) => what === 'book').length);
    }
  });

  it('is cancelled when that is asked for too [R7-TRIAL-B2]', async () => {
    for (const { nth, later } of TIMES) {
      const { status } = await stoppedAt(nth, later, async (runtime) => {
        await runtime.pause('run');
        await runtime.cancel('run');
      });
      expect(['cancelled', 'bounded', 'done', 'pending'], `${nth}, ${later}`).toContain(status);
    }
  });

  it('is given back by a process that closes, without waiting for its time to drain [R7-TRIAL-B2]', async () => {
    for (const { nth, later } of TIMES) {
      const { status } = await stoppedAt(nth, later, (runtime) => runtime.close());
      expect(['pending', 'bounded', 'done'], `${nth}, ${later}`).toContain(status);
    }
  });
});
