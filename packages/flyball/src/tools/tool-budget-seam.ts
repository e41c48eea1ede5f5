import { useFrom } from '../core/about.js';
import { ConfigError } from '../core/errors.js';
import type { GuardContext, SeamMiddleware } from '../core/seams.js';
import type { ToolRef } from '../core/tool.js';
import { described } from '../core/use.js';
import { type CountText, estimateTextTokens, measureTools } from './measure-tools.js';
import { type Admission, admitTools, type ToolBudget, USUAL } from './tool-budget.js';
import { schemasHash } from './tool-spec.js';

/** Options of `toolBudgetSeam`. */
export interface ToolBudgetSeamOptions {
  /** Of the smallest model that is asked, in tokens. */
  readonly window: number;
  readonly budget?: ToolBudget;
  readonly countText?: CountText;
}

/** More runs than one process works on at a time; what falls out is at worst told once more. */
const REMEMBERED = 4096;

/**
 * Keeps the tools a model sees few enough to choose well.
 *
 * Model calls: none. Stands first in its seam, so that it measures what the middleware after it has made of the list. A
 * decision is told once for each run and set of schemas; a refusal is raised every time. Not where there are always fewer
 * than fifteen tools.
 *
 * @pattern V13
 */
export function toolBudgetSeam(options: ToolBudgetSeamOptions): SeamMiddleware<'tools.load'> {
  const { window, budget = USUAL, countText = estimateTextTokens } = options;
  measureTools([], countText, window); // a window that is none is said here and not with the first request
  const judged = new WeakMap<readonly ToolRef[], Judged>();
  const told = new Set<string>();

  const judge = (tools: readonly ToolRef[]): Judged => {
    const known = judged.get(tools);
    if (known !== undefined) return known;
    const fresh = { hash: schemasHash(tools), admission: admitTools(measureTools(tools, countText, window), budget) };
    judged.set(tools, fresh); // sessions hand in the same list with every call
    return fresh;
  };
  const tell = ({ hash, admission }: Judged, ctx: GuardContext): void => {
    const key = `${ctx.runId} ${hash}`;
    if (told.has(key)) return;
    for (const oldest of told.size >= REMEMBERED ? told : []) {
      told.delete(oldest);
      break;
    }
    told.add(key);
    for (const why of admission.warnings) ctx.decide({ guard: 'tool-budget', verdict: 'warned', why });
    if (!admission.ok) ctx.decide({ guard: 'tool-budget', verdict: 'blocked', why: admission.why });
  };

  const seam: SeamMiddleware<'tools.load'> = (next) => async (offered, ctx) => {
    const tools = await next(offered, ctx);
    const decision = judge(tools);
    tell(decision, ctx);
    if (!decision.admission.ok) throw new ConfigError(`Tool budget: ${decision.admission.why}`);
    return tools;
  };
  return described(
    seam,
    useFrom({ id: 'V13', name: 'toolBudgetSeam', params: { window, budget }, parts: {}, calls: 0 }),
  );
}

interface Judged {
  readonly hash: string;
  readonly admission: Admission;
}
