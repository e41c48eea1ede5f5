import type { Formula } from '../core/formula.js';
import type { ToolRef } from '../core/tool.js';

/** What a tool loop asks beside its worker, as parts of a description. */
interface LoopCalls {
  /** Which agent a call goes to is known when it is made, so what it asks has no most. */
  readonly parts: { readonly delegates?: readonly object[] };
  readonly calls: Formula;
}

const MOST_TURNS = { param: 'maxIterations' } as const;

/**
 * The model calls of a tool loop: its turns, which it tells when it has ended, those of its window policies, and those of
 * agents that work for its tools.
 */
export function loopCalls(tools: readonly ToolRef[], mostCalls: number): LoopCalls {
  const own = [
    { fact: 'turns', least: 0, most: MOST_TURNS },
    { times: [{ fact: 'fitted', least: 0, most: MOST_TURNS }, { part: 'window' }] },
  ] as const;
  const handing = tools.filter(({ delegates }) => delegates !== undefined);
  if (handing.length === 0) return { parts: {}, calls: { sum: own } };
  const delegated = { times: [{ fact: 'delegated', least: 0, most: mostCalls }, { part: 'delegates' }] } as const;
  return { parts: { delegates: handing.map(({ name }) => ({ name })) }, calls: { sum: [...own, delegated] } };
}
