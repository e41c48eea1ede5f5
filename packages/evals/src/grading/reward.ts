import type { ToolType } from '../world/environment.js';
import type { EnvAssertion, GoldAction, RewardBasis } from '../world/task.js';

/** Whether an expected action was taken. */
export interface ActionCheck {
  readonly action: GoldAction;
  readonly matched: boolean;
  readonly reward: number;
  readonly toolType: ToolType | null;
}

/** The reward of a simulation, with the checks that it consists of. */
export interface RewardInfo {
  readonly reward: number;
  readonly db: { readonly match: boolean; readonly reward: number } | null;
  readonly envAssertions:
    | readonly { readonly assertion: EnvAssertion; readonly met: boolean; readonly reward: number }[]
    | null;
  readonly actions: readonly ActionCheck[] | null;
  readonly nl: readonly { readonly assertion: string; readonly met: boolean; readonly because: string }[] | null;
  readonly communicate: readonly { readonly info: string; readonly met: boolean; readonly because: string }[] | null;
  readonly basis: readonly RewardBasis[] | null;
  readonly breakdown: Readonly<Partial<Record<RewardBasis, number>>> | null;
  /** Notes in the form of the results file: `note`, or `env`, `nl`, `communicate`, `action`. */
  readonly info: Readonly<Record<string, unknown>>;
}

/** Judges natural-language assertions over a trajectory. */
export type NlJudge = (
  assertions: readonly string[],
  transcript: readonly import('../world/message.js').SimMessage[],
) => Promise<readonly { readonly assertion: string; readonly met: boolean; readonly because: string }[]>;
