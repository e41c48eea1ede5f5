import { type FoldedText, foldText, latinize } from './fold-text.js';

/** A stretch of the original text that reads like an attempt to steer the agent. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** Between 0 and 1: how sure the detector is, where it is not its usual weight. */
  readonly weight?: number;
}

/** The text to be screened, in the forms detectors look at. */
export interface Suspect {
  readonly original: string;
  readonly folded: FoldedText;
  readonly latin: FoldedText;
}

/** Looks for one kind of trick. Not the agent's own model: that is what the trick is made for. */
export interface InjectionDetector {
  readonly id: string;
  /** Between 0 and 1: how much one finding says. */
  readonly weight: number;
  find(suspect: Suspect): readonly Finding[] | Promise<readonly Finding[]>;
}

/** A detector that answers at once: what is hidden inside other text is looked at with these. */
export interface PatternDetector extends InjectionDetector {
  find(suspect: Suspect): readonly Finding[];
}

export function suspectOf(original: string): Suspect {
  return { original, folded: foldText(original), latin: latinize(original) };
}

/** Finds a pattern in both readings of the text. */
export function phraseDetector(id: string, weight: number, patterns: readonly RegExp[]): PatternDetector {
  return {
    id,
    weight,
    find: ({ folded, latin }) =>
      (folded.text === latin.text ? [folded] : [folded, latin]).flatMap((form) =>
        patterns.flatMap((pattern) =>
          [...form.text.matchAll(pattern)].map(({ 0: found, index }) => form.span(index, index + found.length)),
        ),
      ),
  };
}

/** Finds a pattern in the text as it is written. */
export function writtenDetector(id: string, weight: number, patterns: readonly RegExp[]): PatternDetector {
  return {
    id,
    weight,
    find: ({ original }) =>
      patterns.flatMap((pattern) =>
        [...original.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
      ),
  };
}
