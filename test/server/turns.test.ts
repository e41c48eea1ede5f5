import { budget, createRuntime, done, memoryEngine, type Run } from 'flyball';
import { expect, it, onTestFinished } from 'vitest';
import { MESSAGE } from '../../packages/flyball/src/agents/conversation.js';
import { turnsIn } from '../../packages/server/src/agents/turns.js';

it('a conversation that was cancelled while it waited no longer listens [R9-KERNEL-WAITS]', async () => {
  const talk = async (run: Run) => done(await run.wait({ name: MESSAGE }));
  const runtime = createRuntime({ engine: memoryEngine(), agents: { talk }, options: { suspendAfterMs: 0 } });
  onTestFinished(() => runtime.close());
  const handle = await runtime.start('talk', 'Hello.', { budget: budget({ costUsd: 1 }) });
  await handle.outcome();
  expect(turnsIn(await runtime.entries(handle.id))).toMatchObject({ turns: [{ said: 'Hello.' }], listens: true });
  await runtime.cancel(handle.id);
  expect(await handle.finished()).toMatchObject({ stop: 'cancelled' });
  expect(turnsIn(await runtime.entries(handle.id)).listens).toBe(false);
});
