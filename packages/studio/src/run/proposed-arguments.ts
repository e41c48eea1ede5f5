import type { Effect } from '../../../flyball/src/views/effects.js';
import { joinCalls, loopScopeOf } from '../conversation/join-calls.js';

/**
 * What a pure call was given. It writes no INTENT, so its arguments stand only in the reply that proposed it: the last
 * one before it in the same loop. Undefined where nobody proposed it, because the code made the call by itself.
 */
export function proposedArguments(call: Effect, effects: readonly Effect[]): string | undefined {
  const loop = loopScopeOf(call.scope);
  const near = effects.filter(({ generation, scope }) => generation === call.generation && loopScopeOf(scope) === loop);
  const asked = near.findLast(({ verb, seq }) => verb === 'ask' && seq < call.seq);
  const proposed = asked?.end?.type === 'ask-end' ? (asked.end.reply?.toolCalls ?? []) : [];
  if (asked === undefined || proposed.length === 0) return undefined;
  const until = near.find(({ verb, seq }) => verb === 'ask' && seq > call.seq)?.seq ?? Number.POSITIVE_INFINITY;
  const calls = near.filter(({ verb, seq }) => verb === 'call' && seq > asked.seq && seq < until);
  return [...joinCalls(proposed, calls)].find(([, effect]) => effect === call)?.[0].arguments;
}
