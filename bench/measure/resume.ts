import { type Agent, append, createRuntime, done, type Engine, type Prompt, type Run } from 'flyball';
import { answerer, EFFECTS } from './effects.js';
import { wideBudget } from './wide-budget.js';

/** What fills the journal before the run waits. A conversation is one chain of prompts that grows with every ask. */
const FILLINGS = {
  'pure step': each(EFFECTS['pure step']),
  'idempotent step': each(EFFECTS['idempotent step']),
  ask: each(EFFECTS.ask),
  conversation: async (run: Run, effects: number) => {
    let prompt: Prompt | undefined;
    for (let n = 0; n < effects; n++) {
      prompt = (await run.ask(answerer, append(prompt, { role: 'user', content: `question ${n}` }))).prompt;
    }
  },
};
export type Filling = keyof typeof FILLINGS;

function each(effect: (run: Run, n: number) => Promise<unknown>) {
  return async (run: Run, effects: number): Promise<void> => {
    for (let n = 0; n < effects; n++) await effect(run, n);
  };
}

/**
 * Writes a run of so many effects that then waits, and resumes it `times` times. Answers the milliseconds from the call
 * of `resume` until the code has got past all its effects again: loading and replaying, nothing else.
 */
export async function timeResume(
  engine: Engine,
  given: { readonly effects: number; readonly filling: Filling; readonly times: number },
): Promise<readonly number[]> {
  const id = `${given.filling.replace(' ', '-')}-${given.effects}`;
  const reached: { atEnd: () => void } = { atEnd: () => undefined };
  const agent: Agent<number, null> = async (run, effects) => {
    await FILLINGS[given.filling](run, effects);
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
