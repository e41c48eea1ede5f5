import { type Agent, budget, createRuntime, type Entry, memoryEngine, type Outcome, type Session } from 'flyball';
import { exact, type Use, useOf } from 'flyball/patterns';
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
  const use = useOf(agent);
  const [outermost] = uses;
  if (use !== undefined && outermost !== undefined && outermost.how !== 'threw')
    expect(ownCalls(outermost, uses)).toBe(exactOf(use, outermost));
  return { outcome, entries, uses };
}

/** Calls that it made itself, and none of the patterns inside it: those that nothing else stands around. */
function ownCalls({ path, generation, modelCalls }: PatternUse, uses: readonly PatternUse[]): number {
  const inside = uses.filter((other) => other.generation === generation && other.path.startsWith(`${path}/`));
  const below = inside.filter(({ path: own }) => !inside.some((other) => own.startsWith(`${other.path}/`)));
  return below.reduce((left, inner) => left - inner.modelCalls, modelCalls);
}

function exactOf({ calls, params, parts }: Use, { learnt = {} }: PatternUse): number {
  const own = Object.fromEntries(
    Object.entries(parts).map(([role, part]) => [role, [part].flat().filter((one) => 'session' in one).length]),
  );
  return exact(calls, { params, facts: learnt, parts: own });
}
