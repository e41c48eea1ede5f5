import { ConfigError } from '../core/errors.js';
import { evidenceId } from '../core/evidence-id.js';
import type { Evidence } from '../core/work.js';
import type { Embedder } from '../ports/embedder.js';
import type { Retriever } from '../ports/retriever.js';
import { type Chunk, chunksOf } from './chunks.js';
import { cosine, embedAll } from './vectors.js';
import { WordIndex } from './word-index.js';

/** A document for `documentsRetriever`. */
export interface RetrievedDocument {
  /** What it is called: a path, an address, a title. */
  readonly source: string;
  readonly text: string;
  /** It settles facts. False where absent. */
  readonly authority?: boolean;
  /** `outside` where absent: who gives a document to a retriever does not vouch for what is in it. */
  readonly trust?: Evidence['trust'];
}

/** Options of `documentsRetriever`. */
export interface DocumentsOptions {
  readonly name: string;
  readonly documents: readonly RetrievedDocument[];
  /** Pieces are found by their words alone where there is none. */
  readonly embedder?: Embedder;
  /** Lines of a piece. 30 where absent. */
  readonly chunkLines?: number;
}

const CHUNK_LINES = 30;
/** A piece with less of what is asked for than this is not about it. */
const LEAST_COVERAGE = 0.2;
/** And one whose vector points further away than this is not either. */
const LEAST_COSINE = 0.35;

interface Piece extends Chunk {
  readonly of: RetrievedDocument;
  readonly id: string;
}

/**
 * Finds pieces of documents that are given as texts: by their words (BM25), and by their vectors too where there is an
 * embedder, which then counts half. Nothing is stored; words are counted once, and vectors made with the first query.
 */
export function documentsRetriever(options: DocumentsOptions): Retriever {
  const { name, documents, embedder, chunkLines = CHUNK_LINES } = options;
  if (!(Number.isInteger(chunkLines) && chunkLines >= 1))
    throw new ConfigError(`chunkLines must be a whole number of at least 1, got ${chunkLines}.`);
  const pieces = documents.flatMap((of): readonly Piece[] =>
    chunksOf(of.text, chunkLines).map((chunk) => ({
      ...chunk,
      of,
      id: evidenceId(of.source, chunk.place, chunk.text),
    })),
  );
  const index = new WordIndex(pieces.map(({ of, text }) => `${of.source} ${text}`));
  const angles = anglesOver(pieces, embedder);
  return {
    name,
    async retrieve(query, { limit, signal }) {
      signal.throwIfAborted();
      const angle = await angles(query, signal);
      const rated = index.scores(query).map(({ score, coverage }, at) => {
        const near = angle?.[at];
        const fits = coverage >= LEAST_COVERAGE || (near ?? 0) >= LEAST_COSINE;
        return { piece: pieces[at] as Piece, score: fits ? (near === undefined ? score : (score + near) / 2) : 0 };
      });
      return rated
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.piece.id < b.piece.id ? -1 : 1))
        .slice(0, Math.max(0, limit))
        .map(({ piece, score }) => evidenceOf(piece, query, score));
    },
  };
}

type Angles = (query: string, signal: AbortSignal) => Promise<readonly number[] | undefined>;

/** How near each piece is to a query. Vectors that could not be made are made with the next query. */
function anglesOver(pieces: readonly Piece[], embedder: Embedder | undefined): Angles {
  let made: readonly Float32Array[] | undefined;
  return async (query, signal) => {
    if (embedder === undefined || pieces.length === 0) return undefined;
    const texts = pieces.map(({ text }) => text);
    made ??= await embedAll(embedder, texts, { signal, as: 'document' });
    const [wanted] = await embedAll(embedder, [query], { signal, as: 'query' });
    return made.map((vector) => (wanted === undefined ? 0 : Math.max(0, cosine(vector, wanted))));
  };
}

function evidenceOf({ id, text, place, of }: Piece, query: string, score: number): Evidence {
  return {
    id,
    text,
    source: of.source,
    place,
    query,
    score: Math.round(score * 1000) / 1000,
    authority: of.authority ?? false,
    trust: of.trust ?? 'outside',
  };
}
