import { howMany, type Interval, predicted } from '../core/formula.js';
import type { PatternId } from '../core/use.js';
import { isBuilt } from './built.js';
import { guides, patternSpec } from './catalogue.js';
import { type RunJournal, serialChildren, tokensBySession, unusedShare } from './journal.js';
import { commonSequence } from './lint-journal.js';
import type { GuideRule, PatternSpec } from './types.js';

/** What to use, and the figures it follows from. */
export interface Suggestion {
  /** The rule of a decision guide (`E3.1-independent`), or of a journal (`CE3`). */
  readonly rule: string;
  readonly take: readonly PatternId[];
  readonly instead: readonly PatternId[];
  readonly because: string;
  /** What of `take` is not built yet: the catalogue describes it, and no function of the package does it. */
  readonly notBuilt: readonly PatternId[];
  /** What to use until that is built: those of `instead` that are built. Empty where all of `take` is built. */
  readonly meanwhile: readonly PatternId[];
  /** Options to change where the pattern itself stays, such as `samples` from 9 to 5. */
  readonly changes?: Readonly<Record<string, { readonly from: number; readonly to: number }>>;
  /** What was measured or stated, by name. */
  readonly measured: Readonly<Record<string, number | string | boolean>>;
  /** What it was held against, as text: `tools at most 15`. */
  readonly threshold: string;
  /** Model calls of each pattern that is suggested, with its defaults and what the task says. */
  readonly predicted: Readonly<Partial<Record<PatternId, Interval>>>;
}

/** A task in the fields of the decision guides. */
export type Task = Readonly<Record<string, number | string | boolean>>;

/** What the decision guides say about a task. No model is asked. */
export function suggestForTask(task: Task): readonly Suggestion[] {
  return guides
    .filter((rule) => applies(rule, task))
    .map((rule) => ({
      rule: rule.id,
      take: rule.take,
      instead: rule.instead ?? [],
      because: rule.because,
      ...builtIn(rule.take, rule.instead),
      measured: Object.fromEntries(Object.keys(rule.when).map((field) => [field, task[field] ?? ''])),
      threshold: Object.entries(rule.when)
        .map(([field, condition]) => `${field} ${conditionText(condition)}`)
        .join(', '),
      predicted: predictedFor(rule.take, task),
    }));
}

/** Fields that the guides read, for whoever writes a task description. */
export const taskFields: readonly string[] = [...new Set(guides.flatMap(({ when }) => Object.keys(when)))].sort();

/** What a field has to be, where this value is something else: a rule would pass over it without a word. */
export function valueProblem(field: string, value: unknown): string | undefined {
  const conditions = guides.flatMap(({ when }) => when[field] ?? []);
  const isRead = conditions.some((condition) =>
    typeof condition === 'object'
      ? typeof value === 'number'
      : typeof condition === 'string'
        ? conditions.includes(value as string)
        : typeof value === 'boolean',
  );
  const [first] = conditions;
  if (isRead || first === undefined) return undefined;
  if (typeof first === 'object') return 'a number';
  return typeof first === 'boolean' ? 'true or false' : `one of ${[...new Set(conditions)].join(', ')}`;
}

function applies({ when }: GuideRule, task: Task): boolean {
  return Object.entries(when).every(([field, condition]) => {
    const value = task[field];
    if (typeof condition !== 'object') return value === condition;
    if (typeof value !== 'number') return false;
    const { atLeast, atMost, above, below } = condition;
    return (
      (atLeast === undefined || value >= atLeast) &&
      (atMost === undefined || value <= atMost) &&
      (above === undefined || value > above) &&
      (below === undefined || value < below)
    );
  });
}

/** What of a suggestion is not built yet, and what stands in for it. */
function builtIn(
  take: readonly PatternId[],
  instead: readonly PatternId[] = [],
): Pick<Suggestion, 'notBuilt' | 'meanwhile'> {
  const notBuilt = take.filter((id) => !isBuilt(id));
  return { notBuilt, meanwhile: notBuilt.length === 0 ? [] : instead.filter(isBuilt) };
}

function conditionText(condition: GuideRule['when'][string]): string {
  if (typeof condition === 'boolean') return condition ? 'yes' : 'no';
  if (typeof condition === 'string') return `is ${condition}`;
  const { atLeast, atMost, above, below } = condition;
  const parts = [
    atLeast === undefined ? '' : `at least ${atLeast}`,
    atMost === undefined ? '' : `at most ${atMost}`,
    above === undefined ? '' : `above ${above}`,
    below === undefined ? '' : `below ${below}`,
  ];
  return parts.filter((part) => part !== '').join(' and ');
}

/**
 * With the defaults of the catalogue, the task's own figures where they have the same name, and one call of each who takes
 * part.
 */
export function predictedFor(ids: readonly PatternId[], task: Task = {}): Suggestion['predicted'] {
  return Object.fromEntries(
    ids.flatMap((id) => {
      const spec = patternSpec(id);
      if (spec === undefined) return [];
      const params = figuresFor(spec, task);
      const callsOf = (role: string): Interval => only(howMany(spec.several, role, params));
      const parts = new Proxy({}, { get: (_none, role) => callsOf(String(role)) });
      return [[id, predicted(spec.calls, { params, parts })]];
    }),
  );
}

/** Options of a pattern, and how many fill a role of it, as far as that is said. */
export function figuresFor({ params, several = {} }: Pick<PatternSpec, 'params' | 'several'>, task: Task): Task {
  const options = Object.entries(params).map(([name, { default: given, range }]) => {
    return [name, task[name] ?? given ?? range?.[1] ?? 1] as const;
  });
  const roles = Object.keys(several).flatMap((role) => {
    const count = task[role];
    return count === undefined ? [] : [[role, count] as const];
  });
  return Object.fromEntries([...options, ...roles]);
}

const only = (n: number): Interval => ({ min: n, max: n });

/** Thresholds for journals. */
const SAME_SEQUENCE = 0.95;
const ALL_UNUSED = 0.95;
const FIRST_ROUND = 0.95;
const AGREED = 0.95;
const RISING_ASKS = 6;
const FEWER_SAMPLES = 5;

/** Runs that suggestions need: fewer say too little. */
export const FEWEST_RUNS = 5;

/** What journals of an agent say about it. No model is asked. */
export function suggestFromJournals(
  journals: readonly RunJournal[],
  { runs = FEWEST_RUNS }: { readonly runs?: number } = {},
): readonly Suggestion[] {
  if (journals.length < runs) return [];
  return [
    ...plannable(journals),
    ...fixedSequence(journals),
    ...growing(journals),
    ...waiting(journals),
    ...approvedAtOnce(journals),
    ...agreed(journals),
  ];
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number): number => Math.round(value * 100) / 100;

function plannable(journals: readonly RunJournal[]): readonly Suggestion[] {
  const shares = journals.flatMap(({ entries, spans }) =>
    spans.filter(({ pattern }) => pattern === 'reAct').flatMap((span) => unusedShare(entries, span) ?? []),
  );
  const share = mean(shares);
  if (shares.length === 0 || share < ALL_UNUSED) return [];
  const calls = mean(
    journals.flatMap(({ spans }) =>
      spans.filter(({ pattern }) => pattern === 'reAct').map(({ modelCalls }) => modelCalls),
    ),
  );
  return [
    suggestion({
      rule: 'CE3',
      take: ['R5'],
      instead: ['R4'],
      because: 'No call used what an earlier one had returned: plan them all at once.',
      measured: { 'calls that used no earlier result': round(share), 'model calls a run': round(calls) },
      threshold: `at least ${ALL_UNUSED}`,
    }),
  ];
}

function fixedSequence(journals: readonly RunJournal[]): readonly Suggestion[] {
  const { share, sequence } = commonSequence(journals);
  if (share < SAME_SEQUENCE || sequence.length === 0) return [];
  return [
    suggestion({
      rule: 'A2',
      take: ['O2', 'I1'],
      instead: ['R4'],
      because: `${share === 1 ? 'Every run calls' : 'Nearly every run calls'} ${sequence.join(', ')}: code can do that.`,
      measured: { 'runs with the same calls': round(share) },
      threshold: `at least ${SAME_SEQUENCE}`,
      task: { steps: sequence.length, maxRetries: 0 },
    }),
  ];
}

function growing(journals: readonly RunJournal[]): readonly Suggestion[] {
  const rising = journals
    .flatMap(({ entries }) => [...tokensBySession(entries).values()])
    .filter(
      (tokens) => tokens.length >= RISING_ASKS && tokens.every((count, n) => n === 0 || count > (tokens[n - 1] ?? 0)),
    );
  if (rising.length === 0) return [];
  const factor = mean(rising.map((tokens) => (tokens.at(-1) ?? 0) / Math.max(1, tokens[0] ?? 1)));
  return [
    suggestion({
      rule: 'A7',
      take: ['K7', 'K6'],
      because: 'Prompts only grow: take out what is used up.',
      measured: { 'sessions that only grow': rising.length, 'times the first prompt': round(factor) },
      threshold: `at least ${RISING_ASKS} calls that all grow`,
    }),
  ];
}

function waiting(journals: readonly RunJournal[]): readonly Suggestion[] {
  const pairs = journals.flatMap(({ entries }) => serialChildren(entries));
  if (pairs.length === 0) return [];
  return [
    suggestion({
      rule: 'A8',
      take: ['O4'],
      because: 'Children wait for each other and use nothing of each other.',
      measured: { 'pairs without a data edge': pairs.length },
      threshold: 'above 0',
      task: { maxWorkers: 2 },
    }),
  ];
}

function approvedAtOnce(journals: readonly RunJournal[]): readonly Suggestion[] {
  const spans = journals.flatMap(({ spans: all }) => all.filter(({ pattern }) => pattern === 'untilApproved'));
  const share = mean(spans.map(({ learned }) => (learned?.['judged'] === 1 ? 1 : 0)));
  if (spans.length === 0 || share < FIRST_ROUND) return [];
  return [
    suggestion({
      rule: 'O5',
      take: ['S1'],
      instead: ['O5'],
      because: 'Nearly every first draft is approved: the judge changes nothing, or approves of everything.',
      measured: { 'approved at once': round(share) },
      threshold: `at least ${FIRST_ROUND}`,
    }),
  ];
}

function agreed(journals: readonly RunJournal[]): readonly Suggestion[] {
  const spans = journals.flatMap(({ spans: all }) =>
    all.filter(({ pattern, learned }) => pattern === 'selfConsistency' && typeof learned?.['agreement'] === 'number'),
  );
  const agreement = mean(spans.map(({ learned }) => learned?.['agreement'] as number));
  const samples = mean(spans.map(({ params }) => Number(params?.['samples'] ?? 0)));
  if (spans.length === 0 || agreement < AGREED || samples <= FEWER_SAMPLES) return [];
  return [
    suggestion({
      rule: 'R17',
      take: ['R17'],
      because: 'Samples nearly always agree: five of them say the same.',
      changes: { samples: { from: round(samples), to: FEWER_SAMPLES } },
      measured: { agreement: round(agreement), samples: round(samples) },
      threshold: `agreement at least ${AGREED} with more than ${FEWER_SAMPLES} samples`,
      task: { samples: FEWER_SAMPLES },
    }),
  ];
}

interface Found extends Pick<Suggestion, 'rule' | 'take' | 'because' | 'measured' | 'threshold' | 'changes'> {
  readonly instead?: readonly PatternId[];
  /** Figures for the formulas. */
  readonly task?: Task;
}

function suggestion({ task = {}, instead = [], ...found }: Found): Suggestion {
  return { ...found, instead, ...builtIn(found.take, instead), predicted: predictedFor(found.take, task) };
}
