import type { ToolCall } from '../../../flyball/src/core/model.js';
import type { Effect } from '../../../flyball/src/views/effects.js';
import { matchProposals } from '../../../flyball/src/views/proposals.js';

const LANE = /\/lane-\d+$/;

/** Calls that are made side by side have scopes of their own below the loop's: `/worker/lane-2`. */
export function loopScopeOf(scope: string): string {
  return scope.replace(LANE, '');
}

/**
 * Which proposed call became which effect. Where each tool is named once its name says it; only where one is named
 * several times the fingerprints are compared, which costs a hash for each call.
 */
export function joinCalls(proposed: readonly ToolCall[], calls: readonly Effect[]): ReadonlyMap<ToolCall, Effect> {
  const names = proposed.map(({ name }) => name);
  if (new Set(names).size === names.length) {
    const byName = new Map(calls.map((effect) => [effect.name, effect]));
    return new Map(
      proposed.flatMap((call) => {
        const effect = byName.get(call.name);
        return effect === undefined ? [] : [[call, effect] as const];
      }),
    );
  }
  return new Map([...matchProposals(proposed, calls).byEffect].map(([effect, call]) => [call, effect]));
}
