import { canonicalJson } from 'flyball/internal';
import type { CaseCheck } from './golden-set.js';

/** Whether an answer passed, and why. */
export interface CaseScore {
  readonly passed: boolean;
  /** Which check decided, and what it missed. */
  readonly because: string;
}

/** Scores an answer for a case; null where it could not be read. */
export type CaseJudge = (input: unknown, answer: unknown) => Promise<number | null>;

/** Scores an answer to one case. */
export async function scoreCase(
  check: CaseCheck,
  input: unknown,
  answer: unknown,
  judge: CaseJudge | undefined,
): Promise<CaseScore> {
  switch (check.kind) {
    case 'exact':
      return verdict('exact', canonicalJson(answer) === canonicalJson(check.expected) ? [] : ['the answer is another']);
    case 'structured':
      return verdict('structured', missedFields(check.fields, answer));
    case 'text':
      return verdict('text', missedText(check, textOf(answer)));
    case 'rubric':
      return rubricScore(check.minimum, await judge?.(input, answer));
  }
}

function verdict(check: string, missed: readonly string[]): CaseScore {
  return missed.length === 0
    ? { passed: true, because: `${check} check met` }
    : { passed: false, because: `${check} check: ${missed.join('; ')}` };
}

function missedFields(fields: Readonly<Record<string, unknown>>, answer: unknown): readonly string[] {
  return Object.entries(fields).flatMap(([path, expected]) => {
    const found = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], answer);
    return found !== undefined && canonicalJson(found) === canonicalJson(expected) ? [] : [`${path} differs`];
  });
}

function missedText(
  { contains = [], lacks = [] }: { readonly contains?: readonly string[]; readonly lacks?: readonly string[] },
  text: string,
): readonly string[] {
  const lower = text.toLowerCase();
  return [
    ...contains.filter((part) => !lower.includes(part.toLowerCase())).map((part) => `"${part}" is missing`),
    ...lacks.filter((part) => lower.includes(part.toLowerCase())).map((part) => `"${part}" is there`),
  ];
}

/** Unread is unscored, and unscored never passes. */
function rubricScore(minimum: number, score: number | null | undefined): CaseScore {
  if (score === undefined) return { passed: false, because: 'rubric check: there is no judge' };
  if (score === null) return { passed: false, because: 'rubric check: unscored, the judge could not be read' };
  return { passed: score >= minimum, because: `rubric check: ${score.toFixed(2)} of ${minimum.toFixed(2)}` };
}

function textOf(answer: unknown): string {
  return typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '');
}
