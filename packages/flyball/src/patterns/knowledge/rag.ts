import { ConfigError } from '../../core/errors.js';
import { blocked, done, type Outcome } from '../../core/outcome.js';
import type { Agent, Entered } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { Evidence } from '../../core/work.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { passedOn } from '../../kit/passed-on.js';
import { pattern, useFrom } from '../../kit/pattern.js';
import { askOnce } from '../../kit/seat.js';
import type { Embedder } from '../../ports/embedder.js';
import type { Retriever } from '../../ports/retriever.js';
import type { VectorCache } from '../../ports/vector-cache.js';
import { type Cited, citedAnswer, NOT_COVERED } from '../../retrieval/citations.js';
import { numbered } from '../../retrieval/labelled.js';
import { memoryVectors } from '../../retrieval/memory-vectors.js';
import { lookUp } from '../lookup.js';
import { type Described, described } from '../use.js';
import { shownMaterial, wishing } from './material.js';
import { type Ingested, PassageIndex, type RagDocument } from './passage-index.js';
import { checkPlain } from './plain-session.js';

/** Who takes part in `rag`. */
export interface RagParts {
  readonly embedder: Embedder;
  /** Answers from what was found. No tools, no output schema. */
  readonly answerer: Session;
  /** Rates a piece for a query from 0 to 10; asked about `candidates` pieces, of which those from 5 up stay. */
  readonly reranker?: (query: string, piece: Evidence) => Promise<number>;
  /** Where vectors are kept; in memory by default. */
  readonly cache?: VectorCache;
}

/** Options of `rag`. */
export interface RagOptions {
  /** What the journal calls it. */
  readonly name?: string;
  /** Pieces that an answer is made from at most. */
  readonly limit?: number;
  /** Characters of a passage at most. */
  readonly passage?: number;
  /** Pieces that are rated where there is a reranker. */
  readonly candidates?: number;
}

/** Documents that are searched passage by passage, and answered from. The index says what fits, never whether it is enough. */
export interface Rag extends Retriever {
  /**
   * Adds documents, or replaces those of the same source by what they say now. Done before runs are started, by every
   * process that looks something up: an index is no part of a journal.
   */
  ingest(documents: readonly RagDocument[], how?: { readonly signal?: AbortSignal }): Promise<Ingested>;
  /** Whether a document says something else than the index holds of it. */
  isStale(document: Pick<RagDocument, 'source' | 'text'>): boolean;
  /** Looks up and answers with citations. Blocked where the answer cites what was never found. */
  readonly answer: Described<Agent<string, Cited>>;
}

const ANSWER = `Answer from the documents only, and cite them by number, like [1]. If they do not say, reply ${NOT_COVERED}.`;

/**
 * Answers from passages it looks up, and cites them.
 *
 * Model calls: none to look up, `asked × answerer` to answer, which is 1, or 0 where nothing was found. Passages are
 * found by words and by meaning together. Not for a few pages, which fit into the prompt as they are, nor for tables: a
 * query language finds their rows and passages do not.
 *
 * @pattern K1
 * @example
 * ```ts
 * const library = rag({ embedder, answerer: small }, { limit: 6 });
 * await library.ingest(documents);
 * const ask = library.answer;
 * ```
 */
export function rag(
  { embedder, answerer, reranker, cache = memoryVectors() }: RagParts,
  { name = 'documents', limit = 5, passage = 800, candidates = 30 }: RagOptions = {},
): Described<Rag> {
  checkGiven('rag (K1)', { embedder, answerer });
  checkCounts('rag (K1)', { limit, passage, candidates });
  checkPlain('rag (K1)', { answerer });
  if (name.trim() === '') throw new ConfigError('rag (K1) needs a name, which is recorded in the journal.');
  const parts = { name, embedder, cache, passage, candidates };
  const index = new PassageIndex(reranker === undefined ? parts : { ...parts, reranker });
  const whole = Object.assign(index, { answer: answering(index, answerer, limit) });
  return described(
    whole,
    useFrom({ id: 'K1', name: 'rag', params: { limit, passage }, parts: { answerer }, calls: 0 }),
  );
}

function answering(index: Retriever, answerer: Session, limit: number): Described<Agent<string, Cited>> {
  const about = {
    id: 'K1',
    name: 'rag',
    params: { limit },
    parts: { answerer },
    calls: { times: [{ fact: 'asked', least: 0, most: 1 }, { part: 'answerer' }] },
  } as const;
  return pattern(about, (run, question: string) => answerFrom(run, question, { index, answerer, limit }));
}

interface Answering {
  readonly index: Retriever;
  readonly answerer: Session;
  readonly limit: number;
}

async function answerFrom(
  run: Entered,
  question: string,
  { index, answerer, limit }: Answering,
): Promise<Outcome<Cited>> {
  run.learned({ asked: 0 });
  const found = await lookUp(run, index, question, limit);
  if ('ended' in found) return found.ended;
  const { evidence } = found;
  if (evidence.length === 0) return done({ kind: 'not-covered' });
  run.learned({ asked: 1, pieces: evidence.length });
  const material = shownMaterial([
    ['The documents', numbered(evidence)],
    ['The question', question],
  ]);
  const reply = await askOnce(run, wishing(answerer, ANSWER), material);
  if (!('value' in reply)) return passedOn(reply);
  const cited = citedAnswer(reply.value, evidence);
  if (cited.kind === 'unresolved')
    return blocked(
      `the answer cites [${cited.numbers.join(', ')}], and the highest number of a passage is ${evidence.length}`,
      {
        partial: cited,
        reason: { code: 'no-match', data: { label: 'citation' } },
      },
    );
  return done(cited);
}
