import type { Evidence } from '../core/work.js';

/** A place in an answer that rests on a piece of evidence. */
export interface Citation {
  readonly number: number;
  readonly evidence: Evidence;
}

/** An answer with citations, or why there is none. */
export type Cited =
  | { readonly kind: 'answered'; readonly text: string; readonly citations: readonly Citation[] }
  /** The documents are silent about it. */
  | { readonly kind: 'not-covered' }
  /** It cites what was never retrieved. */
  | { readonly kind: 'unresolved'; readonly text: string; readonly numbers: readonly number[] }
  /** It cites nothing at all, so nobody can tell where it comes from. */
  | { readonly kind: 'uncited'; readonly text: string };

/** What the generator replies when the documents do not say. */
export const NOT_COVERED = 'NOT COVERED';

const NUMBERS = /\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g;

/** Reads the citations of an answer, `[1]` or `[2, 3]`, against what it was given, numbered from 1. */
export function citedAnswer(reply: string, evidence: readonly Evidence[]): Cited {
  const text = reply.trim();
  if (
    text === '' ||
    text
      .replace(/[^\p{L} ]/gu, '')
      .trim()
      .toUpperCase() === NOT_COVERED
  )
    return { kind: 'not-covered' };
  const numbers = [...text.matchAll(NUMBERS)].flatMap(([, list = '']) => list.split(',').map(Number));
  const unique = [...new Set(numbers)];
  const unknown = unique.filter((number) => evidence[number - 1] === undefined);
  if (unknown.length > 0) return { kind: 'unresolved', text, numbers: unknown };
  const citations = unique.flatMap((number) => {
    const piece = evidence[number - 1];
    return piece === undefined ? [] : [{ number, evidence: piece }];
  });
  return citations.length === 0 ? { kind: 'uncited', text } : { kind: 'answered', text, citations };
}
