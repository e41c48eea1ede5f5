import { done, type Outcome } from '../../core/outcome.js';
import type { Agent, Entered } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { Evidence } from '../../core/work.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { passedOn } from '../../kit/passed-on.js';
import { pattern } from '../../kit/pattern.js';
import { askOnce } from '../../kit/seat.js';
import { numbered } from '../../retrieval/labelled.js';
import type { Lookup } from '../lookup.js';
import type { Described } from '../use.js';
import { type Search, search } from './adaptive-search.js';
import { shownMaterial, verdict, wishing } from './material.js';
import { checkPlain } from './plain-session.js';

/** Who takes part in `adaptiveRag`. The three who judge want a small model: each says one word. */
export interface AdaptiveRagParts {
  readonly lookup: Lookup;
  /** Other sources, asked in this order when a better query does not help. */
  readonly fallbacks?: readonly Lookup[];
  /** Says whether anything has to be looked up. */
  readonly classifier: Session;
  /** Says whether what was found is enough. */
  readonly scorer: Session;
  /** Says whether the answer claims no more than what was found. */
  readonly checker: Session;
  readonly rewriter: Session;
  readonly answerer: Session;
}

/** Options of `adaptiveRag`. */
export interface AdaptiveRagOptions {
  /** How often what was found is judged at most. */
  readonly maxRounds?: number;
  /** Pieces a search brings at most. */
  readonly limit?: number;
  /** When nothing good enough was found: no answer, or one that is marked as not grounded. */
  readonly whenNotFound?: 'abstain' | 'answer-anyway';
}

/** The answer of `adaptiveRag`, with its verdicts and evidence. */
export interface AdaptiveAnswer {
  /** Absent where it abstained. */
  readonly text?: string;
  /** True only where the checker saw answer and evidence and said so. */
  readonly grounded: boolean;
  readonly path: 'direct' | 'retrieved' | 'not-found';
  readonly verdicts: {
    readonly classifier: 'DIRECT' | 'RETRIEVE';
    readonly scorer: readonly ('PASS' | 'FAIL')[];
    readonly checker?: 'SUPPORTED' | 'UNSUPPORTED';
  };
  /** What the answer was made from. */
  readonly evidence: readonly Evidence[];
  readonly queries: readonly string[];
  readonly revised: boolean;
}

const CLASSIFY =
  'Decide whether documents have to be looked up to answer the question. Reply with one word: RETRIEVE if they have to be, DIRECT if general knowledge or arithmetic is enough.';
const CHECK =
  'Decide whether everything the answer claims is said in the documents. Reply with one word: SUPPORTED or UNSUPPORTED.';
const ANSWER =
  'Answer the question from the documents only. Cite them by number, like [1]. If they do not say, say so.';
const REVISE = 'The answer claims more than the documents say. Write it again with only what they say, cited like [1].';
const JUDGES = ['classifier', 'scorer', 'checker'] as const;

/**
 * Looks up only when needed, checks what it found and says when it found nothing.
 *
 * Model calls: `classifier + judged × scorer + rewritten × rewriter + answered × answerer + checked × checker`: 2 where
 * nothing has to be looked up, 4 where the first search finds it, 8 at most with the default 3 rounds. A reply that is
 * not one of the two words counts as the careful one. Not where every question needs the documents and they are known to
 * be good: `rag` answers in one call. Not for a fixed workflow: `fromBundle` fetches what it needs without asking.
 *
 * @pattern K5
 * @example
 * ```ts
 * const careful = adaptiveRag({ lookup: library, classifier, scorer, checker, rewriter, answerer }, { maxRounds: 2 });
 * ```
 */
export function adaptiveRag(
  parts: AdaptiveRagParts,
  { maxRounds = 3, limit = 5, whenNotFound = 'abstain' }: AdaptiveRagOptions = {},
): Described<Agent<string, AdaptiveAnswer>> {
  const { lookup, fallbacks = [], classifier, scorer, checker, rewriter, answerer } = parts;
  checkGiven('adaptiveRag (K5)', { lookup, classifier, scorer, checker, rewriter, answerer });
  checkCounts('adaptiveRag (K5)', { maxRounds, limit });
  checkPlain('adaptiveRag (K5)', { classifier, scorer, checker, rewriter, answerer });
  const upTo = (fact: string, most: number) => ({ fact, least: 0, most }) as const;
  const about = {
    id: 'K5',
    name: 'adaptiveRag',
    ownBest: true, // what was found is no answer
    params: { maxRounds, limit, whenNotFound },
    parts: { lookup, fallbacks, classifier, scorer, checker, rewriter, answerer },
    // whoever judges is nobody who made what is judged, nor another judge
    apart: [
      ...JUDGES.map((judge) => [judge, 'answerer'] as const),
      ['scorer', 'classifier'],
      ['checker', 'classifier'],
      ['checker', 'scorer'],
    ],
    calls: {
      sum: [
        { part: 'classifier' },
        { times: [upTo('lookups', Math.min(2, maxRounds)), { part: 'lookup' }] },
        { times: [upTo('otherLookups', 1), { part: 'fallbacks' }] },
        { times: [upTo('judged', maxRounds), { part: 'scorer' }] },
        { times: [upTo('rewritten', 1), { part: 'rewriter' }] },
        { times: [upTo('answered', 2), { part: 'answerer' }] },
        { times: [upTo('checked', 1), { part: 'checker' }] },
      ],
    },
    provides: ['K2'],
  } as const;
  return pattern(about, (run, question: string) =>
    answered(run, question, { ...parts, fallbacks, maxRounds, limit, whenNotFound }),
  );
}

type Whole = Required<AdaptiveRagParts> & Required<AdaptiveRagOptions>;

async function answered(run: Entered, question: string, whole: Whole): Promise<Outcome<AdaptiveAnswer>> {
  run.learned({ lookups: 0, otherLookups: 0, judged: 0, rewritten: 0, answered: 0, checked: 0 });
  const asked = [['The question', question]] as const;
  const classifier = await verdict(run, wishing(whole.classifier, CLASSIFY), asked, ['DIRECT', 'RETRIEVE']);
  if (classifier === 'DIRECT') {
    run.learned({ answered: 1 });
    const direct = await askOnce(run, whole.answerer, `The question: ${question}`);
    if (!('value' in direct)) return passedOn(direct);
    const verdicts = { classifier, scorer: [] };
    return done({
      text: direct.value,
      grounded: false,
      path: 'direct',
      verdicts,
      evidence: [],
      queries: [],
      revised: false,
    });
  }
  const searched = await search(run, question, whole);
  if ('ended' in searched) return searched.ended;
  const { found } = searched;
  const base = { verdicts: { classifier, scorer: found.verdicts }, queries: found.queries, revised: false };
  if (!found.passed && whole.whenNotFound === 'abstain')
    return done({ ...base, evidence: [], grounded: false, path: 'not-found' });
  return written(run, question, { whole, found, base });
}

interface Writing {
  readonly whole: Whole;
  readonly found: Search;
  readonly base: Pick<AdaptiveAnswer, 'verdicts' | 'queries' | 'revised'>;
}

/** Answers, has the answer checked, and revises it once where it claims too much. */
async function written(
  run: Entered,
  question: string,
  { whole, found, base }: Writing,
): Promise<Outcome<AdaptiveAnswer>> {
  const { evidence, passed } = found;
  const documents = ['The documents', numbered(evidence)] as const;
  const asked = ['The question', question] as const;
  run.learned({ answered: 1 });
  const draft = await askOnce(run, wishing(whole.answerer, ANSWER), shownMaterial([documents, asked]));
  if (!('value' in draft)) return passedOn(draft);
  run.learned({ checked: 1 });
  const judged = ['The answer', draft.value] as const;
  const seen = [judged, documents];
  const checker = await verdict(run, wishing(whole.checker, CHECK), seen, ['SUPPORTED', 'UNSUPPORTED']);
  const verdicts = { ...base.verdicts, checker };
  const path = passed ? 'retrieved' : 'not-found';
  if (checker === 'SUPPORTED') return done({ ...base, verdicts, evidence, path, text: draft.value, grounded: passed });
  run.learned({ answered: 2 });
  const revision = await askOnce(run, wishing(whole.answerer, REVISE), shownMaterial([documents, asked, judged]));
  if (!('value' in revision)) return passedOn(revision);
  // nobody has looked at the revision, so nobody claims that it is grounded
  return done({ ...base, verdicts, evidence, path, text: revision.value, grounded: false, revised: true });
}
