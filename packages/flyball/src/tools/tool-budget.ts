import { isBlank } from '../core/blank.js';
import { ConfigError } from '../core/errors.js';
import type { MeasuredTools } from './measure-tools.js';

/** How many tools, and how much of its window, one request may show a model. */
export interface ToolBudget {
  readonly warnAbove: number;
  readonly refuseAbove: number;
  readonly warnShare: number;
  readonly maxShare: number;
  /** Why the limits are higher than the usual ones. */
  readonly because?: string;
}

/** Whether tools fit into the window, with warnings. */
export type Admission =
  | { readonly ok: true; readonly warnings: readonly string[]; readonly measured: MeasuredTools }
  | {
      readonly ok: false;
      readonly why: string;
      readonly warnings: readonly string[];
      readonly measured: MeasuredTools;
    };

/** With more than these a model's choice of tools gets unreliable, and then worse than a guess. */
export const USUAL: ToolBudget = { warnAbove: 15, refuseAbove: 40, warnShare: 0.05, maxShare: 0.1 };

const LIMITS = ['warnAbove', 'refuseAbove', 'warnShare', 'maxShare'] as const;

/** Limits for the number of tools. To raise a limit, give a reason in `because`. */
export function toolBudget(options: Partial<ToolBudget> = {}): ToolBudget {
  const limits = { ...USUAL, ...options };
  for (const limit of LIMITS) {
    const value = limits[limit];
    const most = limit.endsWith('Share') ? 1 : Number.MAX_SAFE_INTEGER;
    if (Number.isFinite(value) && value >= 0 && value <= most) continue;
    throw new ConfigError(`toolBudget: ${limit} is ${value}, but must be a number from 0 to ${most}.`);
  }
  if (limits.warnAbove > limits.refuseAbove || limits.warnShare > limits.maxShare) {
    throw new ConfigError('toolBudget: a warning must come before the refusal. Lower warnAbove or warnShare.');
  }
  const raised = LIMITS.filter((limit) => limits[limit] > USUAL[limit]);
  if (raised.length > 0 && isBlank(options.because ?? '')) {
    throw new ConfigError(
      `toolBudget: ${raised.join(' and ')} above the usual ${raised.map((limit) => USUAL[limit]).join(' and ')}. Say why: because: '…'.`,
    );
  }
  return Object.freeze(limits);
}

/** Whether a request with these tools may be sent. Count and share both decide. */
export function admitTools(measured: MeasuredTools, budget: ToolBudget = USUAL): Admission {
  const { count, share } = measured;
  const why =
    count > budget.refuseAbove
      ? `${count} tools, and at most ${budget.refuseAbove} are allowed`
      : share > budget.maxShare
        ? `tool schemas take ${percent(share)} of the window, and at most ${percent(budget.maxShare)} are allowed`
        : undefined;
  const warnings = warningsOf(measured, budget);
  if (why === undefined) return { ok: true, warnings, measured };
  return {
    ok: false,
    why: `${why}. ${largest(measured)} Give the session a smaller toolset, let tools be chosen for each task (strategy: 'dynamic'), or raise the limit on purpose with toolBudget({ …, because }).`,
    warnings,
    measured,
  };
}

function warningsOf(measured: MeasuredTools, budget: ToolBudget): readonly string[] {
  const { count, share } = measured;
  const beyond = count > USUAL.refuseAbove || share > USUAL.maxShare;
  const accepted = beyond && budget.because !== undefined ? ` Accepted because: ${budget.because}` : '';
  return [
    ...(count > budget.warnAbove
      ? [`${count} tools, more than ${budget.warnAbove}: the choice among them gets unreliable.${accepted}`]
      : []),
    ...(share > budget.warnShare
      ? [
          `Tool schemas take ${percent(share)} of the window, more than ${percent(budget.warnShare)}. ${largest(measured)}${accepted}`,
        ]
      : []),
  ];
}

function largest({ tools }: MeasuredTools): string {
  const heavy = [...tools].sort((a, b) => b.tokens * b.surface - a.tokens * a.surface).slice(0, 3);
  const named = heavy.map(({ name, tokens, surface }) =>
    surface > 1 ? `${name} (${tokens} tokens, represents ${surface} tools)` : `${name} (${tokens} tokens)`,
  );
  return `The largest are ${named.join(', ')}.`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
