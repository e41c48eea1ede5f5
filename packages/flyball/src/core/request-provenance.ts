import type { Trust } from './prompt.js';

/** Where the arguments of an act come from, as the journal has it, for whoever decides about them. */
export interface RequestProvenance {
  /** What proposed them: a reply of a model, or the code of the agent. */
  readonly by: ProposedBy;
  /** What that had before it, oldest first. */
  readonly sources: readonly RequestSource[];
  /** How many acts are not listed, because the list is limited. */
  readonly sourcesLeftOut?: number;
  /** Each value of the arguments with the sources in which it stands word for word, counted from 1. */
  readonly values: readonly RequestValue[];
}

export type ProposedBy =
  | {
      readonly kind: 'model';
      /** The model call, in the journal. */
      readonly effect: string;
      readonly session: string;
      readonly model: string;
      /** Tip of the prompt chain, which names every byte that the model read. */
      readonly prompt: string;
    }
  | { readonly kind: 'code' };

export interface RequestSource {
  /** input: of the run. message: of the conversation. result: of a tool. reply: of a model, earlier. setup: of the session. */
  readonly what: 'input' | 'message' | 'result' | 'reply' | 'setup';
  /** As the prompt is labelled: text from outside may be anybody's words. */
  readonly trust: Trust;
  /** The tool that a result comes from. */
  readonly tool?: string;
  /** The session and the model of a reply, where it is not one that stood in a prompt. */
  readonly session?: string;
  readonly model?: string;
  /** The call in the journal, where it is known. */
  readonly effect?: string;
  /** The beginning of it, or the words around the first value that stands in it. */
  readonly excerpt: string;
}

export interface RequestValue {
  /** Such as `$.order.id`. */
  readonly path: string;
  /** Empty: it stands nowhere word for word, so whoever proposed it made it. */
  readonly sources: readonly number[];
}

/** A source with all its text, which is looked through and not kept. */
export interface SourceText extends Omit<RequestSource, 'excerpt'> {
  readonly text: string;
}

export const MOST_SOURCES = 12;
const MOST_VALUES = 40;
const MOST_DEPTH = 8;
const MOST_TEXT = 200_000;
const EXCERPT = 160;

/** Which sources the values stand in. Those in which none does are listed as far as there is room, the latest first. */
export function tracedTo(by: ProposedBy, args: unknown, given: readonly SourceText[]): RequestProvenance {
  const values = leavesOf(args);
  const found = values.map(({ text }) => given.map((source) => placeOf(text, source.text)));
  const isUsed = (n: number): boolean => found.some((places) => (places[n] ?? -1) >= 0);
  const listed = kept(given, isUsed);
  const number = new Map(listed.map((n, at) => [n, at + 1]));
  const sources = listed.flatMap((n) => {
    const source = given[n];
    if (source === undefined) return [];
    const { text, ...rest } = source;
    const first = found.map((places) => places[n] ?? -1).find((place) => place >= 0);
    return [{ ...rest, excerpt: excerptOf(text, first ?? 0) }];
  });
  return {
    by,
    sources,
    ...(given.length > sources.length ? { sourcesLeftOut: given.length - sources.length } : {}),
    values: values.map(({ path }, v) => ({
      path,
      sources: listed.flatMap((n) => ((found[v]?.[n] ?? -1) >= 0 ? [number.get(n) ?? 0] : [])),
    })),
  };
}

/** A shorter text stands in too many places to say who wrote it. */
const LEAST_OWN_WORDS = 12;

/**
 * Which of the replies wrote what is asked about, the latest first in `replies`: the one in which its longest text
 * stands. Not where that text was given with the input, because repeating it proposes nothing. -1 where none did.
 */
export function writtenIn(value: unknown, replies: readonly string[], input: string): number {
  const own = leavesOf(value).filter(({ text }) => text.length >= LEAST_OWN_WORDS && placeOf(text, input) < 0);
  const [longest] = [...own].sort((a, b) => b.text.length - a.text.length);
  return longest === undefined ? -1 : replies.findIndex((reply) => placeOf(longest.text, reply) >= 0);
}

/** Setups and earlier replies are the agent's own words: they are listed only where a value stands in them. */
function kept(given: readonly SourceText[], isUsed: (n: number) => boolean): readonly number[] {
  const all = given.map((_source, n) => n).reverse();
  const used = all.filter(isUsed);
  const rest = all.filter((n) => !isUsed(n) && given[n]?.what !== 'setup' && given[n]?.what !== 'reply');
  return [...used, ...rest].slice(0, MOST_SOURCES).sort((a, b) => a - b);
}

interface Leaf {
  readonly path: string;
  readonly text: string;
}

/** Words and numbers. What is true, false or empty stands everywhere and says nothing. */
function leavesOf(args: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (value: unknown, path: string, depth: number): void => {
    if (leaves.length >= MOST_VALUES || depth > MOST_DEPTH) return;
    if (typeof value === 'number' || typeof value === 'bigint') leaves.push({ path, text: String(value) });
    else if (typeof value === 'string' && value.trim() !== '') leaves.push({ path, text: value.trim() });
    else if (Array.isArray(value)) value.forEach((one, n) => void walk(one, `${path}[${n}]`, depth + 1));
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) walk(one, `${path}.${key}`, depth + 1);
  };
  walk(args, '$', 0);
  return leaves;
}

/** Where a value stands as a word of its own, also as JSON writes it; -1 where it does not. */
function placeOf(value: string, whole: string): number {
  const text = whole.slice(0, MOST_TEXT);
  for (const form of new Set([value, JSON.stringify(value).slice(1, -1)]))
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, nextPlace(text, at)))
      if (isApart(text, at, form.length)) return at;
  return -1;
}

/**
 * Where the same text may stand apart next: not within this row of letters and digits, so that a text of one letter has
 * one place for it and not as many as it has letters.
 */
function nextPlace(text: string, at: number): number {
  let next = at + 1;
  if (isInWord(text, at)) while (isInWord(text, next)) next++;
  return next;
}

const IN_WORD = /[\p{L}\p{N}]/u;

function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at); // NaN behind its end
  if (code < 128) return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return IN_WORD.test(text.charAt(at));
}

/** 12 does not stand in 120, in 312 or in 12.5, nor "ann" in "annual". */
function isApart(text: string, at: number, length: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + length, at + length + 2);
  const inner = text.slice(at, at + length);
  const joinsLeft = /[\p{L}\p{N}]$/u.test(before) || (/^\d/.test(inner) && /\d[.,]$/.test(before));
  const joinsRight = /^[\p{L}\p{N}]/u.test(after) || (/\d$/.test(inner) && /^[.,]\d/.test(after));
  return !(/^[\p{L}\p{N}]/u.test(inner) && joinsLeft) && !(/[\p{L}\p{N}]$/u.test(inner) && joinsRight);
}

function excerptOf(text: string, at: number): string {
  const from = Math.max(0, Math.min(at - EXCERPT / 4, text.length - EXCERPT));
  const part = text
    .slice(from, from + EXCERPT)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`;
}
