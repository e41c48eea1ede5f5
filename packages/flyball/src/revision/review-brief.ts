import { askUntil, type Read } from '../core/ask-until.js';
import { findJson } from '../core/read-json.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { isFilled, type Slot } from '../core/slot.js';

/** What a reviewer found. */
export interface ReviewIssue {
  readonly id: string;
  readonly lens: string;
  readonly text: string;
  /** The reviewer names another concern than its own. */
  readonly isOffLens: boolean;
}

/** What one reviewer said, or why there is nothing of it. */
export interface Review<F extends ReviewIssue = ReviewIssue> {
  readonly lens: string;
  readonly issues: readonly F[];
  readonly missing?: string;
}

/** Two issues that ask for opposite things. The weightier concern is kept. */
export interface Contradiction {
  readonly kept: string;
  readonly dropped: string;
}

/** One brief out of all reviews. */
export interface Brief<F extends ReviewIssue = ReviewIssue> {
  readonly passes: boolean;
  /** Ids, by precedence of their concerns. */
  readonly ranked: readonly string[];
  readonly contradictions: readonly Contradiction[];
  readonly dismissed: readonly { readonly id: string; readonly because: string }[];
  /** What the editor says to whoever revises. */
  readonly words: string;
  readonly issues: readonly F[];
}

export function reviewText(lens: string, draft: string): string {
  return `You review one thing, ${lens}, by the rubric you have. Reply with JSON only: {"issues":[{"text":"…","lens":"${lens}"}]}, where lens names the concern that an issue belongs to. An empty list is a good answer where nothing is wrong.\n\n<output>\n${draft}\n</output>`;
}

/** A review that cannot be read is missing like one that did not come. */
export function reviewIn(lens: string, slot: Slot<string>): Review {
  if (!isFilled(slot)) return missingFrom(lens, slot);
  const found = findJson(slot.value, hasIssues, 'review');
  if (!found.ok) return { lens, issues: [], missing: found.problem };
  if (!hasIssues(found.value)) return { lens, issues: [], missing: 'It is no list of issues.' };
  const issues = found.value.issues.map(({ text, lens: said = lens }, n) => ({
    id: `${lens}-${n + 1}`,
    lens,
    text,
    isOffLens: said !== lens,
  }));
  return { lens, issues };
}

/** What a reviewer said whose answer is read already. */
export function reviewOf<F extends ReviewIssue>(lens: string, slot: Slot<readonly F[]>): Review<F> {
  return isFilled(slot) ? { lens, issues: slot.value } : missingFrom(lens, slot);
}

const missingFrom = (lens: string, { because, stop }: Slot<unknown>) => ({
  lens,
  issues: [],
  missing: because ?? stop,
});

function hasIssues(
  value: unknown,
): value is { readonly issues: readonly { readonly text: string; readonly lens?: string }[] } {
  if (!isObject(value) || !Array.isArray(value['issues'])) return false;
  return value['issues'].every((issue: unknown) => isObject(issue) && typeof issue['text'] === 'string');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Nothing passes without a mandatory review, whatever an editor says. */
export function isWhole(reviews: readonly Review[], mandatory: readonly string[]): boolean {
  return !reviews.some(({ lens, missing }) => missing !== undefined && mandatory.includes(lens));
}

interface Rules {
  readonly precedence: readonly string[];
  readonly mandatory: readonly string[];
}

/** What the editor replies. */
interface Edited {
  readonly verdict: 'PASS' | 'FAIL';
  readonly ranked: readonly string[];
  readonly contradictions: readonly (readonly [string, string])[];
  readonly dismissed: readonly { readonly id: string; readonly because: string }[];
  readonly brief: string;
}

/**
 * Asks the editor for one brief, and decides what is code's to decide: order and contradictions go by precedence, and
 * nothing passes without a mandatory review. A brief that cannot be read is made of the issues as they are.
 */
export async function briefOf(
  run: Run,
  editor: Session,
  reviews: readonly Review[],
  rules: Rules,
): Promise<{ readonly brief: Brief; readonly tries: number }> {
  const issues = reviews.flatMap((review) => review.issues);
  const asked = await askUntil(run, editor, editingText(reviews, rules), ({ text }) => editedIn(text, issues), 1);
  const edited: Edited = asked.ok
    ? asked.value
    : { verdict: 'FAIL', ranked: issues.map(({ id }) => id), contradictions: [], dismissed: [], brief: '' };
  return { brief: decided(edited, issues, reviews, rules), tries: asked.tries };
}

function decided(
  { verdict, ranked, contradictions, dismissed, brief }: Edited,
  issues: readonly ReviewIssue[],
  reviews: readonly Review[],
  { precedence, mandatory }: Rules,
): Brief {
  const lensOf = new Map(issues.map(({ id, lens }) => [id, lens]));
  const weight = (id: string): number => precedence.indexOf(lensOf.get(id) ?? '');
  const settled = contradictions.map(([a, b]): Contradiction => {
    const [kept, dropped] = weight(a) <= weight(b) ? [a, b] : [b, a];
    return { kept, dropped };
  });
  const dropped = new Set(settled.map((one) => one.dropped));
  const kept = [...new Set([...ranked, ...settled.map((one) => one.kept)])].filter((id) => !dropped.has(id));
  return {
    passes: verdict === 'PASS' && isWhole(reviews, mandatory),
    ranked: [...kept].sort((a, b) => weight(a) - weight(b)),
    contradictions: settled,
    dismissed,
    words: brief,
    issues,
  };
}

function editingText(reviews: readonly Review[], { precedence, mandatory }: Rules): string {
  const shown = reviews.map(({ lens, issues, missing }) => {
    const lines = issues.map(({ id, text, isOffLens }) => `- ${id}${isOffLens ? ' (not its concern)' : ''}: ${text}`);
    const said = missing === undefined ? lines : [`(missing: ${missing})`];
    return `<review concern="${lens}">\n${said.length === 0 ? '(nothing found)' : said.join('\n')}\n</review>`;
  });
  return [
    `Reviewers looked at one draft, each at one concern. Make one brief of their reviews. Concerns, the weightiest first: ${precedence.join(', ')}.`,
    'Reply with JSON only: {"verdict":"PASS" or "FAIL","ranked":["id",…],"contradictions":[["id","id"],…],"dismissed":[{"id":"…","because":"…"}],"brief":"…"}.',
    'Every issue is ranked, part of a contradiction, or dismissed with a reason. The brief says in a few sentences what to change.',
    ...(mandatory.length === 0 ? [] : [`Without a review of ${mandatory.join(', ')} no draft passes.`]),
    ...shown,
  ].join('\n\n');
}

/** No issue may get lost: each ends ranked, contradicted, or dismissed with a reason. */
function editedIn(text: string, issues: readonly ReviewIssue[]): Read<Edited> {
  const found = findJson(text, isEdited, 'brief');
  if (!found.ok) return found;
  if (!isEdited(found.value))
    return { ok: false, problem: 'verdict, ranked, contradictions, dismissed and brief are needed.' };
  const { ranked, contradictions, dismissed } = found.value;
  const told = new Set([...ranked, ...contradictions.flat(), ...dismissed.map(({ id }) => id)]);
  const lost = issues.filter(({ id }) => !told.has(id)).map(({ id }) => id);
  if (lost.length > 0)
    return { ok: false, problem: `${lost.join(', ')}: neither ranked, nor contradicted, nor dismissed.` };
  const known = new Set(issues.map(({ id }) => id));
  const unknown = [...told].filter((id) => !known.has(id));
  if (unknown.length > 0) return { ok: false, problem: `${unknown.join(', ')}: no reviewer has named this.` };
  return { ok: true, value: found.value };
}

function isEdited(value: unknown): value is Edited {
  if (!isObject(value) || typeof value['brief'] !== 'string') return false;
  const { verdict, ranked, contradictions, dismissed } = value;
  return (
    (verdict === 'PASS' || verdict === 'FAIL') &&
    isTexts(ranked) &&
    Array.isArray(contradictions) &&
    contradictions.every((pair: unknown) => isTexts(pair) && pair.length === 2) &&
    Array.isArray(dismissed) &&
    dismissed.every(
      (one: unknown) => isObject(one) && typeof one['id'] === 'string' && String(one['because'] ?? '').trim() !== '',
    )
  );
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** What whoever revises reads. */
export function briefText({ ranked, contradictions, words, issues }: Brief): string {
  const textOf = (id: string): string => issues.find((issue) => issue.id === id)?.text ?? '';
  const lines = ranked.map((id, n) => `${n + 1}. ${id}: ${textOf(id)}`);
  const settled = contradictions.map(
    ({ kept, dropped }) => `Do not do ${dropped} (${textOf(dropped)}): ${kept} goes before it.`,
  );
  return [...(words === '' ? [] : [words]), ...lines, ...settled].join('\n');
}
