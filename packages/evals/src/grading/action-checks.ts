import type { Environment, ToolType } from '../world/environment.js';
import type { SimCall, SimMessage } from '../world/message.js';
import type { GoldAction } from '../world/task.js';
import { matchesAction } from './match-action.js';
import type { ActionCheck, RewardInfo } from './reward.js';

/** Every call of a trajectory, whoever made it. */
export function callsOf(messages: readonly SimMessage[]): readonly SimCall[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [] : message.calls));
}

export function checkActions(
  actions: readonly GoldAction[],
  messages: readonly SimMessage[],
  typeOf: (tool: string) => ToolType | null,
): readonly ActionCheck[] {
  const calls = callsOf(messages);
  return actions.map((action) => {
    const matched = calls.some((call) => matchesAction(action, call));
    return { action, matched, reward: matched ? 1 : 0, toolType: typeOf(action.name) };
  });
}

/** The type of a tool on either side; the user's kit wins where both have the name. */
export function toolTypes(environment: Environment): (tool: string) => ToolType | null {
  const kits = [environment.user, environment.agent];
  return (tool) => kits.find((kit) => kit?.has(tool))?.typeOf(tool) ?? null;
}

export interface Share {
  readonly correct: number;
  readonly count: number;
  readonly proportion: number;
}

/** How many of the gold actions were made: a diagnosis beside the reward, which asks for all of them. */
export function partialActionReward(
  reward: Pick<RewardInfo, 'actions'>,
): { readonly total: Share; readonly read: Share | null; readonly write: Share | null } | null {
  const total = shareOf(reward.actions ?? []);
  if (total === null) return null;
  const ofType = (type: ToolType): Share | null =>
    shareOf((reward.actions ?? []).filter(({ toolType }) => toolType === type));
  return { total, read: ofType('read'), write: ofType('write') };
}

function shareOf(checks: readonly ActionCheck[]): Share | null {
  if (checks.length === 0) return null;
  const correct = checks.filter(({ matched }) => matched).length;
  return { correct, count: checks.length, proportion: correct / checks.length };
}
