import { type Agent, done, type Run, type Tool } from 'flyball';
import { supervised, useOf } from 'flyball/patterns';
import { supervise } from 'flyball/people';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN } from '../../../../../test/runtime/stage.js';

const baseline = { suite: 'edits@1', score: 1, minimum: 0.9, classes: ['pure', 'idempotent'] };
const edit: Tool<{ n: number }, string> = {
  name: 'edit',
  description: 'Edits a file. Not for folders.',
  effect: 'idempotent',
  execute: async ({ n }) => {
    if (n === 2) await onSecond();
    return `edited ${n}`;
  },
};
let onSecond: () => Promise<unknown> = async () => undefined;
const edits: Agent<null, number> = async (run: Run) => {
  await run.sleep(1);
  for (let n = 1; n <= 5; n++) await run.call(edit, { n });
  return done(5);
};
const watched = supervised(edits, { allow: ['pure', 'idempotent'], baseline });

describe('supervised', () => {
  it('stays paused over the end of its process, and goes on in another [V2.7]', async () => {
    const stage = moving();
    const life = stage.open(watched as never);
    onSecond = () => life.runtime.pause(RUN, { by: 'ada' });
    expect(await life.start()).toMatchObject({ stop: 'suspended', paused: true });
    onSecond = async () => undefined;
    life.die();
    const other = stage.open(watched as never);
    expect((await other.runtime.get(RUN)).status).toBe('paused');
    await other.runtime.resume(RUN, { by: 'ada' });
    expect(await other.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'done', value: 5 });
  });

  it('ends at its budget whatever its monitor thinks [V2.8]', async () => {
    const stage = moving();
    const life = stage.open(watched as never);
    const started = life.start(null, { toolCalls: 3 });
    const watch = supervise(life.runtime, RUN, { monitor: () => undefined, from: 'start' });
    expect(await started).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 3 });
    await watch.settled();
    expect(watch.fired()).toEqual([]);
    watch.stop();
  });

  it('keeps the scope that it began with through a crash, and says which it is [V2.3] [R11-PATTERN-USE]', async () => {
    const stage = moving();
    const narrow = supervised(edits, { allow: ['pure'], baseline });
    await stage.crashed(narrow as never, at('after', 'sleep-start'));
    expect(await stage.open(watched as never).resume()).toMatchObject({ stop: 'done' });
    expect(await stage.events('intent')).toEqual([]);
    expect(useOf(watched)).toMatchObject({ id: 'V2', name: 'supervised', params: { allow: ['pure', 'idempotent'] } });
  });
});
