import { append, type Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { lostIdentifiers } from '../../retrieval/identifiers.js';

/**
 * How a question is made better before it is searched for. `rewrite`: a follow-up that leans on earlier turns. `expand`:
 * one with too few words. `multi`: one that asks several things. `stepback`: one that is too narrow. `hyde`: one in other
 * words than the documents, searched for by an answer that the model imagines.
 */
export type Transformation = 'rewrite' | 'expand' | 'multi' | 'stepback' | 'hyde';

/** A question with the turns before it. */
export interface FollowUp {
  readonly text: string;
  /** Earlier turns that it leans on, oldest first. Only `rewrite` is shown them. */
  readonly turns: readonly string[];
}

/** What is searched for in place of a question. The question itself is what is answered, never one of these. */
export interface SearchKeys {
  readonly raw: string;
  readonly keys: readonly string[];
  /** Why the raw question is used after all. */
  readonly fellBack?: 'empty' | 'identifiers-lost';
  readonly lost?: readonly string[];
}

const MOST_CHARACTERS = 2_000;

const WISHES: Readonly<Record<Transformation, (keys: number) => string>> = {
  rewrite: () =>
    'Rewrite the last question so that it can be understood without what was said before. Keep every name, number and identifier exactly as it is. Reply with the question only.',
  expand: () =>
    'Reply with up to ten words, on one line, that documents which answer the question are likely to use and that the question does not: synonyms, longer forms of abbreviations, technical terms. Reply with these words only.',
  multi: (keys) =>
    `Split the question into at most ${keys} simpler ones, each to be searched for by itself. Keep every name, number and identifier exactly as it is. Reply with one question a line and nothing else.`,
  stepback: () =>
    'Reply with one more general question whose answer holds the background that this question needs. Reply with the question only.',
  hyde: () =>
    'Write two or three sentences as they could stand in a document that answers the question. Keep every name, number and identifier of the question. Reply with these sentences only.',
};

/** The most keys that a transformation makes of one question. */
export function mostKeys(how: Transformation, keys: number): number {
  if (how === 'multi') return keys;
  return how === 'stepback' ? 2 : 1;
}

/**
 * Asks the model once for better search keys. A reply that is empty, or has lost a number, an identifier or a quoted name
 * of the question, is dropped and the question searched for as it is. A step back loses them by its nature, so there the
 * question stays one of the keys.
 */
export async function searchKeys(
  run: Run,
  question: string | FollowUp,
  { rewriter, how, keys: most }: { readonly rewriter: Session; readonly how: Transformation; readonly keys: number },
): Promise<SearchKeys> {
  const { text: raw, turns } = typeof question === 'string' ? { text: question, turns: [] } : question;
  const asked: Session = { ...rewriter, setup: `${rewriter.setup}\n\n${WISHES[how](most)}`.trim() };
  const { text } = await run.ask(asked, material(raw, how === 'rewrite' ? turns : []));
  const keys = parsed(text, how, most);
  if (keys.length === 0) return { raw, keys: [raw], fellBack: 'empty' };
  if (how === 'expand') return { raw, keys: [`${raw} ${keys[0]}`] };
  if (how === 'stepback') return { raw, keys: [raw, ...keys.filter((key) => key !== raw)] };
  const lost = lostIdentifiers(raw, keys.join('\n'));
  return lost.length > 0 ? { raw, keys: [raw], fellBack: 'identifiers-lost', lost } : { raw, keys };
}

function material(text: string, turns: readonly string[]): Prompt {
  let tip: Prompt | undefined;
  for (const turn of turns) tip = append(tip, { role: 'user', content: `Said before: ${turn}`, owner: 'turns' });
  return append(tip, { role: 'user', content: `The question: ${text}`, owner: 'question' });
}

/** The key of `hyde` may have several lines; of the others each line is one, and what looks like a list is undressed. */
function parsed(reply: string, how: Transformation, most: number): readonly string[] {
  const text = reply.trim().slice(0, MOST_CHARACTERS);
  if (text === '') return [];
  if (how === 'hyde') return [text.replace(/\s+/g, ' ')];
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim())
    .filter((line) => line !== '');
  return [...new Set(lines)].slice(0, how === 'multi' ? most : 1);
}
