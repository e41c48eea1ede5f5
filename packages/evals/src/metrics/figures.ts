import type { Share } from './accuracy.js';
import type { SimulationFacts } from './facts.js';

/** A mean that keeps how many simulations it is over: some have no cost, or need no document. */
export interface Mean {
  readonly value: number | null;
  readonly of: number;
}

/** What one simulation adds to a figure: counts to a share, a value to a mean or a sum. Null: it does not count there. */
type ShareFigure = { readonly kind: 'share'; readonly title: string; part(facts: SimulationFacts): Share | null };
type MeanFigure = { readonly kind: 'mean'; readonly title: string; part(facts: SimulationFacts): number | null };
type SumFigure = { readonly kind: 'sum'; readonly title: string; part(facts: SimulationFacts): number };
/** One figure of a report: a share, a mean or a sum. */
export type Figure = ShareFigure | MeanFigure | SumFigure;

const share = (title: string, part: ShareFigure['part']): ShareFigure => ({ kind: 'share', title, part });
const mean = (title: string, part: MeanFigure['part']): MeanFigure => ({ kind: 'mean', title, part });
const sum = (title: string, part: SumFigure['part']): SumFigure => ({ kind: 'sum', title, part });
const one = (hit: boolean): Share => ({ of: 1, hits: Number(hit) });

/**
 * Every figure of a report by the name that leads to it (`flyball evals show --figure`). A cell is nothing but what
 * these functions say of each simulation, added up: whoever doubts it can see each part.
 */
export const FIGURES = {
  'pass^1': share('passed', ({ succeeded }) => one(succeeded)),
  'db-match': share('database matches', ({ accuracy: { dbMatch } }) => (dbMatch === null ? null : one(dbMatch))),
  'action-match': share('gold calls made', ({ accuracy }) => accuracy.actions),
  'gold-reads': share('gold reads made', ({ accuracy }) => accuracy.reads),
  'gold-writes': share('gold writes made', ({ accuracy }) => accuracy.goldWrites),
  'issued-writes': share('issued writes that are gold', ({ accuracy }) => accuracy.issuedWrites),
  unauthorized: share('wrote before verification', ({ compliance }) => one(compliance.unauthorized)),
  'over-retry': share('retried too often', ({ compliance }) => one(compliance.overRetry)),
  'early-writes': share('writes before verification', ({ compliance: { writes, early } }) => ({
    of: writes.assistant,
    hits: early.assistant,
  })),
  'early-writes-of-both': share('writes before verification, the user’s too', ({ compliance: { writes, early } }) => ({
    of: writes.assistant + writes.user,
    hits: early.assistant + early.user,
  })),
  refused: sum('calls refused by the gate', ({ compliance }) => compliance.refused),
  'response-type': sum('replies of the wrong kind', ({ compliance }) => compliance.responseTypeViolations),
  turns: mean('messages of the agent', ({ compliance }) => compliance.turns),
  'model-calls': mean('model calls of the agent', ({ cost }) => cost.modelCalls),
  'tool-calls': mean('tool calls of the agent', ({ cost }) => cost.toolCalls),
  seconds: mean('seconds', ({ seconds }) => seconds),
  cost: mean('cost of the agent in USD', ({ cost }) => cost.agentUsd),
  'user-cost': mean('cost of the user in USD', ({ cost }) => cost.userUsd),
  'prompt-tokens': mean('prompt tokens of the agent', ({ cost }) => cost.promptTokens),
  'output-tokens': mean('output tokens of the agent', ({ cost }) => cost.completionTokens),
  'cache-share': share('prompt tokens from the cache', ({ cost }) => ({
    of: cost.promptTokens,
    hits: cost.cachedTokens,
  })),
  recall: mean('share of the task’s documents seen', ({ cost }) => cost.recall),
} satisfies Readonly<Record<string, Figure>>;

/** The name of a figure. */
export type FigureName = keyof typeof FIGURES;
type Named<K extends Figure['kind']> = {
  [N in FigureName]: (typeof FIGURES)[N] extends { readonly kind: K } ? N : never;
}[FigureName];

export function shareOver(name: Named<'share'>, facts: readonly SimulationFacts[]): Share {
  const figure: ShareFigure = FIGURES[name];
  const parts = facts.map((each) => figure.part(each)).filter((part) => part !== null);
  return parts.reduce((all, { of, hits }) => ({ of: all.of + of, hits: all.hits + hits }), { of: 0, hits: 0 });
}

export function meanOver(name: Named<'mean'>, facts: readonly SimulationFacts[]): Mean {
  const figure: MeanFigure = FIGURES[name];
  const parts = facts.map((each) => figure.part(each)).filter((part) => part !== null);
  const total = parts.reduce((all, part) => all + part, 0);
  return { value: parts.length === 0 ? null : total / parts.length, of: parts.length };
}

export function sumOver(name: Named<'sum'>, facts: readonly SimulationFacts[]): number {
  return facts.reduce((all, each) => all + FIGURES[name].part(each), 0);
}
