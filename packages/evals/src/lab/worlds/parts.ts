/** W1: a draft of several parts, each of them right or not. Code sees which, and names the first that is not. */
const NAMES = ['sum', 'unit', 'source'] as const;
export const PARTS = NAMES.length;

export type Parts = readonly boolean[];

export const draftOf = (parts: Parts): string => NAMES.map((name, n) => `${name}=${parts[n] ? 'ok' : 'bad'}`).join(' ');

export const partsOf = (text: string): Parts => NAMES.map((name) => text.includes(`${name}=ok`));

/** How much of a draft is right. */
export const shareOf = (parts: Parts): number => parts.filter(Boolean).length / PARTS;

/** What is wrong with a draft, in words that a reviser can act on. */
export function problemIn(parts: Parts): string | undefined {
  const at = parts.indexOf(false);
  return at < 0 ? undefined : `The ${NAMES[at]} is not right.`;
}

/** The part that somebody is told to mend; -1 where nothing is said. */
export const partNamedIn = (text: string): number =>
  NAMES.findIndex((name) => text.includes(`The ${name} is not right.`));
