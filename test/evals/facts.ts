import { type Answer, dataBlocks, isAllData } from '../../packages/evals/src/verify/data-in-answers.js';

export type { Answer };

/**
 * Whether two texts say the same: the reference's recorded answer, and ours in other words. What a reader could act on
 * (ids, amounts, dates, states, choices, names of tools) must be in ours; listings, JSON and Python's own messages must
 * be there byte for byte.
 */

/** Large letters that are emphasis or the name of a thing, not a state. */
const EMPHASIS = new Set(['IMPORTANT', 'WARNING', 'RECOMMENDATION', 'REMINDERS', 'SECURITY', 'NOT', 'USD', 'EST']);

/** What ours lacks of the recorded answer; empty where they agree. `given`: values of the call, which count as facts. */
export function missingFacts(recorded: Answer, ours: Answer, given: readonly string[] = []): readonly string[] {
  if (recorded.error !== ours.error) return [`error ${recorded.error}, ours ${ours.error}`];
  if (isAllData(recorded)) return recorded.content === ours.content ? [] : [`the whole: ${recorded.content}`];
  const lacking = [
    ...dataBlocks(recorded.content).filter((block) => !ours.content.includes(block)),
    ...tokensOf(recorded.content).filter((token) => !isNamed(token, ours.content)),
    ...given.filter((value) => isNamed(value, recorded.content) && !isNamed(value, ours.content)),
  ];
  return [...new Set([...verdict(recorded.content, ours.content), ...lacking])];
}

/** Refusals are refusals in both. */
function verdict(recorded: string, ours: string): readonly string[] {
  return ['Error', 'Failed'].filter((word) => recorded.startsWith(word) !== ours.startsWith(word));
}

/** Words that carry a digit, an underscore, an at sign or only large letters, and whatever stands in quotes. */
function tokensOf(answer: string): readonly string[] {
  const text = answer.replace(/^(?:={3,}|-{3,}).*$/gm, ''); // headings between rules
  const quoted = [...text.matchAll(/(?<![\w'])'([^'\n]+)'(?!\w)/g)].map(([, value]) => value ?? '');
  const words = (text.match(/(?:[^\s,;()[\]{}'"`]|(?<=\d),(?=\d))+/g) ?? []).map(trimmed).filter(isFact);
  return [...new Set([...quoted, ...words])];
}

function trimmed(word: string): string {
  return word.replace(/^[-:=!?.]+(?=[^\d])|[.:!?]+$/g, '').replace(/^.*=(?=.)/, '');
}

function isFact(word: string): boolean {
  if (EMPHASIS.has(word)) return false;
  return /[\d_@]/.test(word) || /^[A-Z][A-Z-]+$/.test(word);
}

/** As a word or number of its own: `100` is not said by `1000`, nor `ACTIVE` by `INACTIVE`. */
function isNamed(fact: string, text: string): boolean {
  if (fact.trim() === '') return true;
  for (let at = text.indexOf(fact); at >= 0; at = text.indexOf(fact, at + 1)) {
    if (standsAlone(fact, text.slice(Math.max(at - 1, 0), at), text.slice(at + fact.length, at + fact.length + 2))) {
      return true;
    }
  }
  return false;
}

function standsAlone(fact: string, before: string, after: string): boolean {
  if (/^\w/.test(fact) && /\w$/.test(before)) return false;
  if (!/\w$/.test(fact)) return true;
  return !/^\w/.test(after) && !(/\d$/.test(fact) && /^[.,]\d/.test(after));
}
