import { ConfigError } from '../core/errors.js';
import { type CountText, estimateTextTokens, measureTools } from './measure-tools.js';
import { type RankedTool, selectTools } from './select-tools.js';
import { type Admission, admitTools, type ToolBudget, USUAL } from './tool-budget.js';
import type { Toolset } from './toolset.js';

/** Options of `loadTools`. */
export interface LoadOptions {
  readonly toolset: Toolset;
  /** Of the model that is asked, in tokens. */
  readonly window: number;
  readonly budget?: ToolBudget;
  readonly countText?: CountText;
  /** static: all of the view or nothing. dynamic: where the view is too large to go unwarned, the tools for this task. */
  readonly strategy?: 'static' | 'dynamic';
  /** What the tools are chosen by. */
  readonly task?: string;
  /** Loaded for every task. */
  readonly always?: readonly string[];
}

/** The tools that `loadTools` selected, and whether they fit. */
export type LoadedTools = Admission & {
  /** What the session may use: the view itself, or what was chosen of it. */
  readonly toolset: Toolset;
  /** Tools that share words with the task, where they were chosen by it. None means that the first ones were taken. */
  readonly matched?: number;
};

/**
 * Selects the tools of one session for one task, within the tool budget. With the static strategy, a toolset above
 * the limits is refused.
 */
export function loadTools(options: LoadOptions): LoadedTools {
  const { toolset, window, budget = USUAL, countText = estimateTextTokens, strategy = 'static', task } = options;
  const admit = (view: Toolset): Admission => admitTools(measureTools(view.tools, countText, window), budget);
  const whole = admit(toolset);
  if (strategy === 'static' || (whole.ok && whole.warnings.length === 0)) return { ...whole, toolset };
  if (task === undefined) throw new ConfigError("loadTools: strategy 'dynamic' chooses by the task. Pass task: '…'.");
  const { chosen, matched } = choose(task, options);
  const loaded = fitting(chosen, { toolset, window, budget, countText });
  const left = options.always?.find((name) => !loaded.includes(name));
  if (left !== undefined)
    throw new ConfigError(`loadTools: there is no room for "${left}", which must always be loaded.`);
  const view = toolset.narrow({ include: loaded });
  return { ...admit(view), toolset: view, matched };
}

interface Choice {
  /** Best first. */
  readonly chosen: readonly string[];
  readonly matched: number;
}

function choose(task: string, { toolset, budget = USUAL, always = [] }: LoadOptions): Choice {
  const stray = always.find((name) => !toolset.has(name));
  if (stray !== undefined)
    throw new ConfigError(`loadTools: "${stray}" must always be loaded, but is not in the toolset.`);
  const ranked = selectTools(task, toolset.tools, budget.warnAbove).map(({ tool }: RankedTool) => tool.name);
  // without any tool a model cannot even ask for the right one
  const best = ranked.length > 0 ? ranked : toolset.names;
  return { chosen: [...new Set([...always, ...best])], matched: ranked.length };
}

/** As many of the best as go unwarned by count and stay under the largest share; a heavy one makes room for lighter ones. */
function fitting(
  chosen: readonly string[],
  { toolset, window, budget, countText }: Required<Pick<LoadOptions, 'toolset' | 'window' | 'budget' | 'countText'>>,
): readonly string[] {
  const room = { tools: budget.warnAbove, tokens: budget.maxShare * window };
  const weights = new Map(measureTools(toolset.tools, countText, window).tools.map((one) => [one.name, one]));
  return chosen.filter((name) => {
    const { tokens = 0, surface = 1 } = weights.get(name) ?? {};
    if (surface > room.tools || tokens >= room.tokens) return false;
    room.tools -= surface;
    room.tokens -= tokens;
    return true;
  });
}
