import { type Agent, createRuntime, done, type Engine } from 'flyball';
import { EFFECTS, type EffectName } from './effects.js';
import { wideBudget } from './wide-budget.js';

/**
 * Writes a run of so many effects that then waits, and resumes it `times` times. Answers the milliseconds from the call
 * of `resume` until the code has got past all its effects again: loading and replaying, nothing else.
 */
export async function timeResume(
  engine: Engine,
  given: { readonly effects: number; readonly filling: EffectName; readonly times: number },
): Promise<readonly number[]> {
  const id = `${given.filling} ${given.effects}`;
  const reached: { atEnd: () => void } = { atEnd: () => undefined };
  const agent: Agent<number, null> = async (run, effects) => {
    for (let n = 0; n < effects; n++) await EFFECTS[given.filling](run, n);
    reached.atEnd();
    await run.wait({ name: 'go' });
    return done(null);
  };
  const open = () => createRuntime({ engine, agents: { agent }, options: { worker: false, suspendAfterMs: 1 } });
  const writing = open();
  await (await writing.start('agent', given.effects, { id, budget: wideBudget })).outcome();
  await writing.close();

  const times: number[] = [];
  for (let round = 0; round < given.times; round++) {
    const runtime = open();
    const atEnd = new Promise<void>((resolve) => {
      reached.atEnd = resolve;
    });
    globalThis.gc?.();
    const began = performance.now();
    const handle = await runtime.resume(id);
    await atEnd;
    times.push(performance.now() - began);
    await handle.outcome();
    await runtime.close();
  }
  return times;
}
