import { ConfigError } from '../core/errors.js';
import { append, type Prompt } from '../core/prompt.js';
import type { Agent, Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Evidence } from '../core/work.js';
import type { Retriever } from '../ports/retriever.js';
import { IS_DATA, numbered } from './labelled.js';
import { retrieveStep, transformQuery } from './transform.js';

/** What `adaptiveRag` needs. */
export interface AdaptiveParts {
  readonly inner: Retriever;
  /** Other sources, asked in this order when the first does not help. */
  readonly fallbacks: readonly Retriever[];
  /** The verdicts want a small model; each is one word. */
  readonly gate: Session;
  readonly quality: Session;
  readonly support: Session;
  readonly rewriter: Session;
  readonly generator: Session;
  /** How often what came back is judged at most. 3 where absent. */
  readonly maxRounds?: number;
  /** Pieces a retrieval brings at most. 5 where absent. */
  readonly limit?: number;
  /** When nothing good enough was found: no answer, or one that is marked as not grounded. `abstain` where absent. */
  readonly whenNotFound?: 'abstain' | 'answer-anyway';
}

/** The answer of `adaptiveRag`, with its verdicts and evidence. */
export interface AdaptiveAnswer {
  /** Absent where it abstained. */
  readonly text?: string;
  /** True only where the support judge saw answer and context and said so. */
  readonly grounded: boolean;
  readonly path: 'direct' | 'retrieved' | 'not-found';
  readonly verdicts: {
    readonly gate: 'DIRECT' | 'RETRIEVE';
    readonly quality: readonly ('PASS' | 'FAIL')[];
    readonly support?: 'SUPPORTED' | 'UNSUPPORTED';
  };
  /** What the answer was made from. */
  readonly evidence: readonly Evidence[];
  readonly queries: readonly string[];
  readonly revised: boolean;
  /** Model calls: 2 on the direct path, else 3 + quality rounds + rewrites + revisions; 2 fewer where it abstained. */
  readonly calls: number;
}

const ROUNDS = 3;
const LIMIT = 5;

const GATE =
  'Decide whether documents have to be looked up to answer the question. Reply with one word: RETRIEVE if they have to be, DIRECT if general knowledge or arithmetic is enough.';
const QUALITY =
  'Decide whether these documents hold what is needed to answer the question. Reply with one word: PASS or FAIL.';
const SUPPORT =
  'Decide whether everything the answer claims is said in the documents. Reply with one word: SUPPORTED or UNSUPPORTED.';
const ANSWER =
  'Answer the question from the documents only. Cite them by number, like [1]. If they do not say, say so.';
const REVISE = 'The answer claims more than the documents say. Write it again with only what they say, cited like [1].';

/**
 * Retrieves only when that helps, judges what came back before it is used, tries a better query and then other sources, and
 * has the answer checked against what it was made from. Rounds are bounded whatever the verdicts are; a reply that is not
 * one of the two words counts as the careful one.
 */
export function adaptiveRag(parts: AdaptiveParts): Agent<string, AdaptiveAnswer> {
  const { maxRounds = ROUNDS, limit = LIMIT } = parts;
  if (!(Number.isInteger(maxRounds) && maxRounds >= 1 && Number.isInteger(limit) && limit >= 1))
    throw new ConfigError(`maxRounds and limit must be at least 1, got ${maxRounds} and ${limit}.`);
  for (const session of [parts.gate, parts.quality, parts.support, parts.rewriter, parts.generator])
    if (session.tools !== undefined || session.output !== undefined)
      throw new ConfigError(`The session "${session.name}" of an adaptive retrieval may have no tools and no schema.`);
  return async (run, question) => ({ stop: 'done', value: await answered(run, question, parts, { maxRounds, limit }) });
}

interface Bounds {
  readonly maxRounds: number;
  readonly limit: number;
}

async function answered(run: Run, question: string, parts: AdaptiveParts, bounds: Bounds): Promise<AdaptiveAnswer> {
  const gate = await verdict(run, parts.gate, GATE, ['DIRECT', 'RETRIEVE'], [['The question', question]]);
  if (gate === 'DIRECT') {
    const { text } = await run.ask(parts.generator, `The question: ${question}`);
    return {
      text,
      grounded: false,
      path: 'direct',
      verdicts: { gate, quality: [] },
      evidence: [],
      queries: [],
      revised: false,
      calls: 2,
    };
  }
  const found = await approved(run, question, parts, bounds);
  const verdicts = { gate, quality: found.verdicts };
  const spent = 1 + found.verdicts.length + found.rewrites;
  const base = { verdicts, evidence: found.evidence, queries: found.queries, revised: false };
  if (!found.passed && parts.whenNotFound !== 'answer-anyway')
    return { ...base, evidence: [], grounded: false, path: 'not-found', calls: spent };
  const draft = await generate(run, parts.generator, question, found.evidence);
  const support = await verdict(
    run,
    parts.support,
    SUPPORT,
    ['SUPPORTED', 'UNSUPPORTED'],
    supported(draft, found.evidence),
  );
  const outcome = {
    ...base,
    verdicts: { ...verdicts, support },
    path: found.passed ? 'retrieved' : 'not-found',
  } as const;
  if (support === 'SUPPORTED') return { ...outcome, text: draft, grounded: found.passed, calls: spent + 2 };
  const text = await revise(run, parts.generator, { question, draft, evidence: found.evidence });
  // nobody has looked at the revision, so nobody claims that it is grounded
  return { ...outcome, text, grounded: false, revised: true, calls: spent + 3 };
}

interface Search {
  readonly evidence: readonly Evidence[];
  readonly verdicts: readonly ('PASS' | 'FAIL')[];
  readonly queries: readonly string[];
  readonly rewrites: number;
  readonly passed: boolean;
}

/** First as asked, then with a better query, then from the other sources: every result passes the same judge. */
async function approved(run: Run, question: string, parts: AdaptiveParts, bounds: Bounds): Promise<Search> {
  const verdicts: ('PASS' | 'FAIL')[] = [];
  const queries: string[] = [];
  let [query, rewrites, fallback] = [question, 0, 0];
  for (let evidence: readonly Evidence[] = []; ; ) {
    const source = fallback === 0 ? parts.inner : (parts.fallbacks[fallback - 1] ?? parts.inner);
    evidence = await retrieveStep(run, source, query, bounds.limit);
    queries.push(query);
    const material = [
      ['The question', question],
      ['The documents', numbered(evidence)],
    ] as const;
    verdicts.push(await verdict(run, parts.quality, QUALITY, ['PASS', 'FAIL'], material));
    const passed = verdicts.at(-1) === 'PASS';
    const isOver = verdicts.length >= bounds.maxRounds || (rewrites > 0 && fallback >= parts.fallbacks.length);
    if (passed || isOver) return { evidence, verdicts, queries, rewrites, passed };
    if (rewrites === 0) {
      rewrites++;
      const keys = await transformQuery(run, { text: question }, { variant: 'rewrite', session: parts.rewriter });
      query = keys.keys[0] ?? question;
    } else fallback++;
  }
}

type Material = readonly (readonly [heading: string, text: string])[];

/** One of two words; the second is the careful one, and what anything else counts as. */
async function verdict<A extends string, B extends string>(
  run: Run,
  session: Session,
  wish: string,
  [first, careful]: readonly [A, B],
  material: Material,
): Promise<A | B> {
  const { text } = await run.ask(
    { ...session, setup: `${session.setup}\n\n${wish}\n${IS_DATA}`.trim() },
    prompt(material),
  );
  return text
    .trim()
    .replace(/[.!"'*]+/g, '')
    .toUpperCase() === first
    ? first
    : careful;
}

function supported(answer: string, evidence: readonly Evidence[]): Material {
  return [
    ['The answer', answer],
    ['The documents', numbered(evidence)],
  ];
}

async function generate(run: Run, session: Session, question: string, evidence: readonly Evidence[]): Promise<string> {
  const asked = { ...session, setup: `${session.setup}\n\n${ANSWER}\n${IS_DATA}`.trim() };
  const material = [
    ['The documents', numbered(evidence)],
    ['The question', question],
  ] as const;
  return (await run.ask(asked, prompt(material))).text;
}

async function revise(
  run: Run,
  session: Session,
  given: { readonly question: string; readonly draft: string; readonly evidence: readonly Evidence[] },
): Promise<string> {
  const asked = { ...session, setup: `${session.setup}\n\n${REVISE}\n${IS_DATA}`.trim() };
  const material = [
    ['The documents', numbered(given.evidence)],
    ['The question', given.question],
    ['The answer', given.draft],
  ] as const;
  return (await run.ask(asked, prompt(material))).text;
}

function prompt(material: Material): Prompt {
  let tip: Prompt | undefined;
  for (const [heading, text] of material)
    tip = append(tip, {
      role: 'user',
      content: `${heading}:\n${text === '' ? '(none)' : text}`,
      owner: 'retrieval',
      trust: heading === 'The question' ? 'user' : 'outside',
    });
  return tip as Prompt;
}
