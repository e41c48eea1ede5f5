import { rateOf } from './accuracy.js';
import type { Interval } from './bootstrap.js';
import { complianceOf } from './compliance.js';
import type { Condition, DomainFacts } from './condition.js';
import { comparePaired, isComparable, type PairedComparison, type Score, success } from './paired.js';
import type { Summary } from './summary.js';

export type Answer = 'supported' | 'not supported' | 'undecided';

/** One of the questions the comparison was made for, and what these results say about it. */
export interface ResearchVerdict {
  readonly id: 'RQ1' | 'RQ2' | 'RQ3';
  readonly question: string;
  readonly answer: Answer;
  readonly because: string;
  readonly figures: readonly string[];
}

/** A condition with its figures. */
export interface Measured {
  readonly condition: Condition;
  readonly summary: Summary;
}

/** Which retrieval hands the agent what it needs; everything else has to be found. */
export const CLEAN_RETRIEVAL: ReadonlySet<string> = new Set(['golden_retrieval', 'golden']);

/** How likely such a split of tasks may be by chance before a difference counts: the sign test, two-sided. */
const MOST_P = 0.05;

/**
 * A difference counts when its interval leaves nought out and the split of won and lost tasks is unlikely by chance.
 * The interval alone is not enough: with 3 won, 0 lost and 93 tied it leaves nought out, and p is .25.
 */
function isMore({ paired }: Pair): boolean {
  return paired.difference.low > 0 && paired.signP < MOST_P;
}

function isLess({ paired }: Pair): boolean {
  return paired.difference.high < 0 && paired.signP < MOST_P;
}

/** Answers the research questions from measured conditions. */
export function researchVerdicts(measured: readonly Measured[]): readonly ResearchVerdict[] {
  return [skillsAsPrior(measured), machineAsEnforcer(measured), retrievalAsBottleneck(measured)];
}

/**
 * Do skill files help models that lack procedure, and help less the better the model is? Supported when no pair under
 * clean retrieval is credibly worse, at least one is credibly better, and the gain does not grow with the baseline.
 */
function skillsAsPrior(measured: readonly Measured[]): ResearchVerdict {
  const pairs = pairsOf(measured, 'baseline', 'declarative').filter(({ retrieval }) => CLEAN_RETRIEVAL.has(retrieval));
  const verdict = (answer: Answer, because: string): ResearchVerdict => ({
    id: 'RQ1',
    question: 'Do skill files improve on the unscaffolded agent, most where the model lacks procedure?',
    answer,
    because,
    figures: pairs.map(describePair),
  });
  if (pairs.length === 0)
    return verdict('undecided', 'no model ran both baseline and declarative under golden retrieval');
  const worse = pairs.filter(isLess);
  if (worse.length > 0) return verdict('not supported', `declarative is worse for ${names(worse)}`);
  const better = pairs.filter(isMore);
  if (better.length === 0) return verdict('undecided', 'no difference is more than chance explains');
  if (pairs.length < 3)
    return verdict('undecided', `declarative is better for ${names(better)}, but a trend needs at least three models`);
  return trendOf(pairs) <= 0
    ? verdict('supported', `declarative is better for ${names(better)}, and gains shrink as the baseline rises`)
    : verdict('not supported', 'gains grow with the baseline instead of shrinking');
}

/** Does the phase machine reduce writes before verification? Judged on shares of tasks, exempt ones left out. */
function machineAsEnforcer(measured: readonly Measured[]): ResearchVerdict {
  const pairs = ['baseline', 'declarative'].flatMap((other) => pairsOf(measured, other, 'imperative', wroteEarly));
  const governed = measured.filter(({ summary }) => summary.agent === 'governed');
  const figures = [
    ...measured.map(
      ({ summary }) =>
        `${summary.label}: ${share(summary.withoutExempt.unauthorized)} simulations with an unauthorized write`,
    ),
    ...governed.map(
      ({ summary }) =>
        `${summary.label}: ${summary.compliance.refused} calls refused by the gate before they reached the tools`,
    ),
  ];
  const verdict = (answer: Answer, because: string): ResearchVerdict => ({
    id: 'RQ2',
    question: 'Does the phase machine reduce unauthorized writes?',
    answer,
    because,
    figures,
  });
  if (pairs.length === 0)
    return verdict('undecided', 'imperative and another agent did not run under the same model and retrieval');
  if (measured.every(({ summary }) => summary.withoutExempt.unauthorized.hits === 0))
    return verdict('undecided', 'nobody wrote before verification, so there was nothing to reduce');
  const fewer = pairs.filter(isLess);
  const notFewer = pairs.filter((pair) => isMore(pair) || pair.paired.ties === pair.paired.tasks);
  if (fewer.length === pairs.length) return verdict('supported', 'it has fewer in every comparison');
  if (notFewer.length > 0)
    return verdict('not supported', `it has no fewer than ${names(notFewer, ({ first }) => `${first} / `)}`);
  return verdict('undecided', 'no difference is more than chance explains');
}

/** Does noisy retrieval take the advantage of skill files away? */
function retrievalAsBottleneck(measured: readonly Measured[]): ResearchVerdict {
  const pairs = pairsOf(measured, 'baseline', 'declarative');
  const drops = dropsOf(measured);
  const verdict = (answer: Answer, because: string): ResearchVerdict => ({
    id: 'RQ3',
    question: 'Does the advantage of skill files collapse when retrieval is noisy?',
    answer,
    because,
    figures: [...pairs.map(describePair), ...drops],
  });
  const clean = pairs.filter(({ retrieval }) => CLEAN_RETRIEVAL.has(retrieval));
  const noisy = pairs.filter(({ retrieval }) => !CLEAN_RETRIEVAL.has(retrieval));
  if (clean.length === 0 || noisy.length === 0)
    return verdict('undecided', 'baseline and declarative have to run under golden and under another retrieval');
  const gain = (of: readonly Pair[]) => of.reduce((sum, { paired }) => sum + paired.difference.value, 0) / of.length;
  const kept = noisy.filter(isMore);
  if (!clean.some(isMore))
    return verdict('undecided', 'there is no advantage under golden retrieval that could collapse');
  if (kept.length > 0) return verdict('not supported', `the advantage stays for ${names(kept)}`);
  return gain(noisy) < gain(clean)
    ? verdict('supported', 'the advantage under golden retrieval is gone under noisy retrieval')
    : verdict('not supported', 'the advantage is no smaller under noisy retrieval');
}

interface Pair {
  readonly first: string;
  readonly model: string;
  readonly retrieval: string;
  readonly base: number;
  readonly paired: PairedComparison;
}

function pairsOf(
  measured: readonly Measured[],
  first: string,
  second: string,
  scoreFor: (domain: DomainFacts) => Score = () => success,
): readonly Pair[] {
  return measured.flatMap((one) => {
    if (one.summary.agent !== first) return [];
    const other = measured.find(
      ({ summary }) =>
        summary.agent === second &&
        summary.model === one.summary.model &&
        summary.retrieval === one.summary.retrieval &&
        summary.domain === one.summary.domain,
    );
    const score = scoreFor(one.condition.domain);
    if (other === undefined || !isComparable(one.condition, other.condition, score)) return [];
    const paired = comparePaired(one.condition, other.condition, { score });
    return [
      {
        first,
        model: one.summary.model,
        retrieval: one.summary.retrieval,
        base: one.summary.pass1?.value ?? 0,
        paired,
      },
    ];
  });
}

/** 1 for a simulation whose agent wrote before verification; tasks that need none are left out. */
function wroteEarly({ compliance }: DomainFacts): Score {
  return ({ taskId, messages, info }) =>
    compliance.exempt.has(taskId) ? null : Number(complianceOf(messages, compliance, info).unauthorized);
}

/** Slope of gain over baseline: negative when better models gain less. */
function trendOf(pairs: readonly Pair[]): number {
  const centre = pairs.reduce((sum, { base }) => sum + base, 0) / pairs.length;
  return pairs.reduce((sum, { base, paired }) => sum + (base - centre) * paired.difference.value, 0);
}

function dropsOf(measured: readonly Measured[]): readonly string[] {
  return measured.flatMap(({ summary }) => {
    if (CLEAN_RETRIEVAL.has(summary.retrieval)) return [];
    const clean = measured.find(
      (other) =>
        other.summary.domain === summary.domain &&
        other.summary.model === summary.model &&
        other.summary.agent === summary.agent &&
        CLEAN_RETRIEVAL.has(other.summary.retrieval),
    );
    if (clean?.summary.pass1 == null || summary.pass1 === null) return [];
    return [`${summary.label}: ${signed(summary.pass1.value - clean.summary.pass1.value)} against golden retrieval`];
  });
}

function describePair({ model, retrieval, paired }: Pair): string {
  return `${model} / ${retrieval}: ${signedInterval(paired.difference)} over ${paired.tasks} tasks (${paired.wins} won, ${paired.losses} lost, p ${paired.signP.toFixed(3)})`;
}

function signedInterval({ value, low, high }: Interval): string {
  return `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}

function share(of: Summary['compliance']['unauthorized']): string {
  const rate = rateOf(of);
  return `${of.hits} of ${of.of}${rate === null ? '' : ` (${(rate * 100).toFixed(1)} %)`}`;
}

function names(pairs: readonly Pair[], lead: (pair: Pair) => string = () => ''): string {
  return pairs.map((pair) => `${lead(pair)}${pair.model} / ${pair.retrieval}`).join(', ');
}
