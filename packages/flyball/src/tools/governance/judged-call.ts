import { stricter } from '../../core/approval.js';
import { canonicalJson } from '../../core/canonical.js';
import type { ActionGuard, GuardContext } from '../../core/seams.js';
import type { ToolRef } from '../../core/tool.js';
import { type Asked, withApproval } from './approval.js';

/** Refused with a sentence for the model, or allowed once a person has agreed to each of the reasons. */
export type CallVerdict = { readonly refused: string } | Asked;

export interface JudgedCall {
  readonly tool: ToolRef;
  readonly args: unknown;
  /** Already judged, with arguments that middleware further in has changed since. It is still one call. */
  readonly isChanged: boolean;
}

/**
 * Middleware that judges a call before anybody further in sees it, and once more where other arguments come back: what
 * is executed is what was judged. What the first arguments needed a person for, the person is still told.
 */
export function judgingCalls(judge: (call: JudgedCall, ctx: GuardContext) => Promise<CallVerdict>): ActionGuard {
  return (next) => async (value, ctx) => {
    const { tool, args } = value;
    const judged = textOf(args); // taken now: arguments can also be changed in place
    const first = await judge({ tool, args, isChanged: false }, ctx);
    if ('refused' in first) return { allow: false, why: first.refused };
    const verdict = await next(value, ctx);
    if (!verdict.allow || isSame(judged, textOf(verdict.args))) return withApproval(verdict, first);
    const again = await judge({ tool, args: verdict.args, isChanged: true }, ctx);
    if ('refused' in again) return { allow: false, why: again.refused };
    const asked = [...new Set([...first.asked, ...again.asked])];
    return withApproval(verdict, { asked, rules: stricter(first.rules, again.rules) });
  };
}

function isSame(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && before === after;
}

/** Undefined where JSON cannot say it: then nobody can tell that it has stayed the same. */
function textOf(args: unknown): string | undefined {
  try {
    return canonicalJson(args ?? null);
  } catch {
    return undefined;
  }
}
