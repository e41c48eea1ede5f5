import { done, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { lastOf } from './fork-stage.js';
import { moving, RUN } from './stage.js';

const send: Tool<{ readonly to: string }, string> = {
  name: 'send',
  description: 'Sends.',
  effect: 'idempotent',
  execute: async ({ to }) => `sent to ${to}`,
};

describe('calls that a fork inherits', () => {
  it('are told to its code with the arguments that its parent was told [R9-KERNEL-FORK-CALLS]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      await run.call(send, { to: 'ann' });
      const { args } = run.calls()[0] ?? {};
      return done({ args, last: await run.step('last', 1, async (n) => n, 'pure') });
    });
    expect(await life.start()).toMatchObject({ stop: 'done', value: { args: { to: 'ann' } } });
    const at = lastOf(await stage.entries(), 'complete') - 1;
    const fork = await life.runtime.fork(RUN, { at, id: 'fork' });
    expect(await fork.finished()).toMatchObject({ stop: 'done', value: { args: { to: 'ann' } } });
  });
});
