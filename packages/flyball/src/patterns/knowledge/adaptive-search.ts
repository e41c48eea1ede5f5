import type { Outcome } from '../../core/outcome.js';
import type { Entered } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { Evidence } from '../../core/work.js';
import { numbered } from '../../retrieval/labelled.js';
import { type Lookup, lookUp } from '../lookup.js';
import { verdict, wishing } from './material.js';
import { searchKeys } from './search-keys.js';

const SCORE =
  'Decide whether these documents hold what is needed to answer the question. Reply with one word: PASS or FAIL.';

/** Who searches, and within what bounds. */
interface Searching {
  readonly lookup: Lookup;
  readonly fallbacks: readonly Lookup[];
  readonly scorer: Session;
  readonly rewriter: Session;
  readonly maxRounds: number;
  readonly limit: number;
}

/** What was found in the end, and what was said of it on the way. */
export interface Search {
  readonly evidence: readonly Evidence[];
  readonly verdicts: readonly ('PASS' | 'FAIL')[];
  readonly queries: readonly string[];
  readonly passed: boolean;
}

export type Searched = { readonly found: Search } | { readonly ended: Outcome<never> };

/** First as asked, then with a better query, then from the other sources: every result passes the same judge. */
export async function search(run: Entered, question: string, searching: Searching): Promise<Searched> {
  const { lookup, fallbacks, scorer, rewriter, maxRounds, limit } = searching;
  const verdicts: ('PASS' | 'FAIL')[] = [];
  const queries: string[] = [];
  const sources = [lookup, lookup, ...fallbacks].slice(0, maxRounds);
  let [query, evidence]: [string, readonly Evidence[]] = [question, []];
  for (const [round, source] of sources.entries()) {
    if (round === 1) {
      run.learned({ rewritten: 1 });
      query = (await searchKeys(run, question, { rewriter, how: 'rewrite', keys: 1 })).keys[0] ?? question;
    }
    run.learned(round < 2 ? { lookups: round + 1 } : { otherLookups: 1 });
    const found = await lookUp(run, source, query, limit);
    if ('ended' in found) return found;
    evidence = found.evidence;
    queries.push(query);
    run.learned({ judged: round + 1 });
    const material = [
      ['The question', question],
      ['The documents', numbered(evidence)],
    ] as const;
    verdicts.push(await verdict(run, wishing(scorer, SCORE), material, ['PASS', 'FAIL']));
    if (verdicts.at(-1) === 'PASS') return { found: { evidence, verdicts, queries, passed: true } };
  }
  return { found: { evidence, verdicts, queries, passed: false } };
}
