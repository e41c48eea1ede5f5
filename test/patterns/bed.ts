import { type Agent, budget, createRuntime, type Entry, memoryEngine, type Outcome, type Session } from 'flyball';
import type { ScriptedModel } from 'flyball/testing';
import { patternsIn } from 'flyball/views';
import { expect } from 'vitest';
import { unpredictedIn } from './journals-seen.js';

type PatternUse = ReturnType<typeof patternsIn>[number];

export const session = (model: ScriptedModel, name: string, more: Partial<Session> = {}): Session => ({
  name,
  model,
  setup: '',
  ...more,
});

/** Runs an agent to its end, and holds every pattern in it against what was predicted for it. */
export async function ended<I, O>(
  agent: Agent<I, O>,
  input: I,
): Promise<{ readonly outcome: Outcome<O>; readonly entries: readonly Entry[]; readonly uses: readonly PatternUse[] }> {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent: agent as Agent<unknown, unknown> } });
  const handle = await runtime.start('agent', input, { budget: budget() });
  const outcome = (await handle.outcome()) as Outcome<O>;
  const entries = await runtime.entries(handle.id);
  await runtime.close();
  const uses = patternsIn(entries);
  expect(unpredictedIn(handle.id, entries)).toEqual([]);
  return { outcome, entries, uses };
}
