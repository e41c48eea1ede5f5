import type { Amounts } from '../../core/budget.js';
import { matchesText } from '../governance/text-glob.js';

/** When a loop has done what it was let loose for. Data, so that a file can name them. */
export type StopCondition =
  | { readonly kind: 'toolCalled'; readonly tool: string; readonly times?: number }
  | { readonly kind: 'toolCallsAtLeast'; readonly calls: number }
  | { readonly kind: 'filesChangedAtLeast'; readonly files: number }
  | { readonly kind: 'linesChangedAtLeast'; readonly lines: number }
  | { readonly kind: 'iterationsAtLeast'; readonly iterations: number }
  | { readonly kind: 'minutesAtLeast'; readonly minutes: number }
  | { readonly kind: 'costAtLeast'; readonly usd: number }
  /** `*` is any run of characters; the whole reply has to match. */
  | { readonly kind: 'replyMatches'; readonly pattern: string }
  | { readonly kind: 'errorCodeSeen'; readonly code: string; readonly times?: number };

/** What has happened so far, as the run's ledger and journal have it. */
export interface StopState {
  readonly spent: Amounts;
  readonly calledTools: Readonly<Record<string, number>>;
  /** The last reply of the model. */
  readonly reply?: string;
  /** How often each error code was seen. */
  readonly errorCodes?: Readonly<Record<string, number>>;
}

/** The stop condition that ended a loop. */
export interface StopReason {
  readonly condition: StopCondition;
  readonly why: string;
}

/** The first condition that is met, or undefined. Compares with `>=`: a resumed run may wake up past one. */
export function evaluateStopConditions(conditions: readonly StopCondition[], state: StopState): StopReason | undefined {
  for (const condition of conditions) {
    const why = metBy(condition, state);
    if (why !== undefined) return { condition, why };
  }
  return undefined;
}

function metBy(condition: StopCondition, { spent, calledTools, reply, errorCodes }: StopState): string | undefined {
  switch (condition.kind) {
    case 'toolCalled':
      return atLeast(countOf(calledTools, condition.tool), condition.times ?? 1, `calls of ${condition.tool}`);
    case 'toolCallsAtLeast':
      return atLeast(spent.toolCalls, condition.calls, 'tool calls');
    case 'filesChangedAtLeast':
      return atLeast(spent.filesChanged, condition.files, 'changed files');
    case 'linesChangedAtLeast':
      return atLeast(spent.linesChanged, condition.lines, 'changed lines');
    case 'iterationsAtLeast':
      return atLeast(spent.iterations, condition.iterations, 'iterations');
    case 'minutesAtLeast':
      return atLeast(spent.wallMs / 60_000, condition.minutes, 'minutes');
    case 'costAtLeast':
      return atLeast(spent.costUsd, condition.usd, 'dollars');
    case 'replyMatches':
      return reply !== undefined && matchesText(condition.pattern, reply)
        ? `The reply matches ${condition.pattern}.`
        : undefined;
    case 'errorCodeSeen':
      return atLeast(
        countOf(errorCodes ?? {}, condition.code),
        condition.times ?? 1,
        `failures with ${condition.code}`,
      );
  }
}

function atLeast(count: number, wanted: number, what: string): string | undefined {
  return count >= wanted ? `There were ${count} ${what}, and ${wanted} end the loop.` : undefined;
}

function countOf(counts: Readonly<Record<string, number>>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0; // a tool may be called "constructor"
}
