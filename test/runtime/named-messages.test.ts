import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { afterAll, describe, expect, it } from 'vitest';

const waiter: Agent<null, unknown> = async (run) => {
  await run.wait({ name: 'go' });
  return done(run.instructions().map(({ text }) => text));
};
const runtime = createRuntime({ engine: memoryEngine(), agents: { waiter } });
afterAll(() => runtime.close());

const started = async (): Promise<string> => {
  const { id, outcome } = await runtime.start('waiter', null, { budget: budget() });
  await outcome();
  return id;
};

describe('a message with a name', () => {
  it('redirects once, however often it is sent [R6-ACCESS-IDEMPOTENCY]', async () => {
    const id = await started();
    await runtime.redirect(id, 'keep it short', { id: 'm1' });
    await runtime.redirect(id, 'keep it short', { id: 'm1' });
    await runtime.redirect(id, 'keep it polite', { id: 'm2' });
    await runtime.signal(id, 'go');
    expect(await runtime.handle(id).finished()).toMatchObject({ value: ['keep it short', 'keep it polite'] });
  });

  it('cancels, and sent again to the run that has ended since it is no mistake; another one is [R6-ACCESS-IDEMPOTENCY]', async () => {
    const id = await started();
    await runtime.cancel(id, { id: 'c1' });
    expect(await runtime.handle(id).finished()).toMatchObject({ stop: 'cancelled' });
    await expect(runtime.cancel(id, { id: 'c1' })).resolves.toBeUndefined();
    await expect(runtime.cancel(id, { id: 'c2' })).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
    await expect(runtime.cancel(id)).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
    await expect(runtime.pause(id, { id: 'p1' })).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
  });
});
