import type { Band, Trust } from '../../../flyball/src/core/prompt.js';
import type { MediaHead } from '../ui/media.js';

/** A segment as the server answers it. */
export interface PromptSegment {
  readonly id: string;
  readonly role: string;
  readonly band: Band;
  readonly trust: Trust;
  readonly content: string;
  /** Images, sounds and files in it. */
  readonly media?: readonly MediaHead[];
  readonly tokens?: number;
  /** Shared with the model call right before this one. */
  readonly cached: boolean;
  readonly owner?: string;
  readonly name?: string;
}

export interface PromptChain {
  readonly tip: string;
  readonly segments: readonly PromptSegment[];
}

/**
 * Marks what a provider can answer from its cache: the longest prefix of equal links, with the call right before it as
 * the server says, or with the last call of the same session, which other sessions may have come between.
 */
export function segmentsWith(
  segments: readonly PromptSegment[],
  before: readonly PromptSegment[] | undefined,
): readonly PromptSegment[] {
  let shared = 0;
  while (shared < segments.length && isSameLink(segments[shared], before?.[shared])) shared++;
  return segments.map((segment, index) => (index < shared && !segment.cached ? { ...segment, cached: true } : segment));
}

/** Where something is private the server names links by their place, which says nothing about what they hold. */
function isSameLink(one: PromptSegment | undefined, other: PromptSegment | undefined): boolean {
  return one !== undefined && one.id === other?.id && !one.id.startsWith('#');
}

/** Tokens of a segment, estimated from its length where the server does not count. */
export function sizeOf({ tokens, content }: Pick<PromptSegment, 'tokens' | 'content'>): number {
  return tokens ?? Math.ceil(content.length / 4);
}

/** Tokens of the cached and of the new part. */
export function tokensOf(segments: readonly PromptSegment[]): { readonly cached: number; readonly fresh: number } {
  const sum = (isCached: boolean): number =>
    segments.filter(({ cached }) => cached === isCached).reduce((all, segment) => all + sizeOf(segment), 0);
  return { cached: sum(true), fresh: sum(false) };
}
