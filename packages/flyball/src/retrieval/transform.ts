import { ConfigError } from '../core/errors.js';
import { append, type Prompt } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Evidence } from '../core/work.js';
import type { Retriever } from '../ports/retriever.js';
import { fuse } from './fusion.js';
import { lostIdentifiers } from './identifiers.js';

/**
 * How a query is made better before it is searched for. `rewrite`: a follow-up that leans on earlier turns. `multi`: a
 * question that asks several things. `stepback`: one that is too narrow. `hyde`: one in other words than the documents,
 * searched for by an answer that the model imagines.
 */
export type Transformation = 'rewrite' | 'multi' | 'stepback' | 'hyde';

/** How a question is rewritten before the search. */
export interface TransformOptions {
  readonly variant: Transformation;
  /** A small model will do. No tools, no output schema. */
  readonly session: Session;
  /** Parts of `multi` at most. 3 where absent. */
  readonly n?: number;
}

/** A question, with the turns before it. */
export interface Question {
  readonly text: string;
  /** Earlier turns that it leans on, oldest first; only `rewrite` is shown them. */
  readonly turns?: readonly string[];
}

/** What is searched for in place of a question. The question itself is what is answered, never one of these. */
export interface SearchKeys {
  readonly raw: string;
  readonly keys: readonly string[];
  readonly variant: Transformation;
  /** Why the raw question is used after all. */
  readonly fellBack?: 'empty' | 'identifiers-lost';
  readonly lost?: readonly string[];
}

const PARTS = 3;
const MOST_CHARACTERS = 2_000;

const WISHES: Readonly<Record<Transformation, (n: number) => string>> = {
  rewrite: () =>
    'Rewrite the last question so that it can be understood without what was said before. Keep every name, number and identifier exactly as it is. Reply with the question only.',
  multi: (n) =>
    `Split the question into at most ${n} simpler ones, each to be searched for by itself. Keep every name, number and identifier exactly as it is. Reply with one question a line and nothing else.`,
  stepback: () =>
    'Reply with one more general question whose answer holds the background that this question needs. Reply with the question only.',
  hyde: () =>
    'Write two or three sentences as they could stand in a document that answers the question. Keep every name, number and identifier of the question. Reply with these sentences only.',
};

/**
 * Asks the model once for better search keys. A reply that is empty, or has lost a number, an identifier or a quoted name
 * of the question, is dropped and the question searched for as it is. A step back loses them by its nature, so there the
 * question stays one of the keys.
 */
export async function transformQuery(run: Run, question: Question, options: TransformOptions): Promise<SearchKeys> {
  const { variant, session, n = PARTS } = options;
  if (session.tools !== undefined || session.output !== undefined)
    throw new ConfigError(`The session "${session.name}" only rewrites queries: it may have no tools and no schema.`);
  if (!(Number.isInteger(n) && n >= 1)) throw new ConfigError(`n must be at least 1, got ${n}.`);
  const raw = question.text;
  const asked: Session = { ...session, setup: `${session.setup}\n\n${WISHES[variant](n)}`.trim() };
  const { text } = await run.ask(asked, material(question, variant));
  const keys = parsed(text, variant, n);
  if (keys.length === 0) return { raw, keys: [raw], variant, fellBack: 'empty' };
  if (variant === 'stepback') return { raw, keys: [raw, ...keys.filter((key) => key !== raw)], variant };
  const lost = lostIdentifiers(raw, keys.join('\n'));
  if (lost.length > 0) return { raw, keys: [raw], variant, fellBack: 'identifiers-lost', lost };
  return { raw, keys, variant };
}

function material({ text, turns = [] }: Question, variant: Transformation): Prompt {
  let tip: Prompt | undefined;
  if (variant === 'rewrite')
    for (const turn of turns) tip = append(tip, { role: 'user', content: `Said before: ${turn}`, owner: 'turns' });
  return append(tip, { role: 'user', content: `The question: ${text}`, owner: 'question' });
}

/** The key of `hyde` may have several lines; of the others each line is one, and what looks like a list is undressed. */
function parsed(reply: string, variant: Transformation, n: number): readonly string[] {
  const text = reply.trim().slice(0, MOST_CHARACTERS);
  if (text === '') return [];
  if (variant === 'hyde') return [text.replace(/\s+/g, ' ')];
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim())
    .filter((line) => line !== '');
  return [...new Set(lines)].slice(0, variant === 'multi' ? n : 1);
}

/** Evidence, and the queries that found it. */
export interface Found {
  readonly evidence: readonly Evidence[];
  /** Raw and derived keys, for the trace. */
  readonly keys: SearchKeys;
}

/**
 * Transforms a question, retrieves by every key and joins the lists by reciprocal-rank fusion, each piece once. Pieces keep
 * the query that found them; their score is the fused one.
 */
export async function retrieveTransformed(
  run: Run,
  question: Question,
  options: TransformOptions & { readonly inner: Retriever; readonly limit: number },
): Promise<Found> {
  const keys = await transformQuery(run, question, options);
  return { evidence: await retrieveByKeys(run, options.inner, keys.keys, options.limit), keys };
}

/** One retrieval for each key, joined. */
export async function retrieveByKeys(
  run: Run,
  inner: Retriever,
  keys: readonly string[],
  limit: number,
): Promise<readonly Evidence[]> {
  const lists: (readonly Evidence[])[] = [];
  for (const key of keys) lists.push(await retrieveStep(run, inner, key, limit));
  const pieces = new Map<string, Evidence>();
  for (const piece of lists.flat()) if (!pieces.has(piece.id)) pieces.set(piece.id, piece);
  return fuse(lists)
    .slice(0, limit)
    .flatMap(({ id, score }) => {
      const piece = pieces.get(id);
      return piece === undefined ? [] : [{ ...piece, score }];
    });
}

/** A retrieval as an effect of the run: asked once, and answered by the journal after a crash. */
export function retrieveStep(run: Run, inner: Retriever, query: string, limit: number): Promise<readonly Evidence[]> {
  return run.step(
    'retrieve',
    { retriever: inner.name, query, limit },
    (_input, { signal }) => inner.retrieve(query, { limit, signal }),
    'pure',
  );
}
