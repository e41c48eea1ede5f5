import type { ExecutionOutputs, Run } from 'flyball';
import { ConfigError } from 'flyball';
import type { PairJudge, PairVerdict, Subject } from 'flyball/checks';
import { bootstrapMean, type Interval } from '../metrics/bootstrap.js';

/**
 * position: any two outputs; is the one shown first preferred? verbosity: `other` says the same as the subject at greater
 * length. self-preference: `other` is by the judge's own family, and people find both equally good.
 */
export type BiasKind = 'position' | 'verbosity' | 'self-preference';
/** The biases of a judge that can be probed. */
export const BIAS_KINDS: readonly BiasKind[] = ['position', 'verbosity', 'self-preference'];

/** One case that tests a judge for a bias. */
export interface BiasProbe {
  readonly case: string;
  readonly kind: BiasKind;
  readonly subject: Subject;
  readonly other: ExecutionOutputs;
}

/** Whether a judge has one kind of bias. */
export interface BiasFinding {
  readonly kind: BiasKind;
  readonly cases: number;
  readonly unscored: number;
  /** From −1 (always against) over 0 (no preference) to 1 (always in favor), with what it may be. Null without cases. */
  readonly preference: Interval | null;
  /** The whole interval is above 0: the place, the length or the origin is preferred for itself. */
  readonly standing: 'biased' | 'unbiased' | 'insufficient';
}

/** The biases found in a judge with one model and rubric. */
export interface BiasReport {
  readonly model: string;
  readonly rubric: string;
  readonly findings: readonly BiasFinding[];
}

const WIDTH = 4;
/** Fewer say nothing either way. */
const LEAST_CASES = 10;

/** Asks a pairwise judge about pairs in which nothing should decide, and reports what decided all the same. */
export async function biasReport(
  run: Run,
  compare: PairJudge,
  probes: readonly BiasProbe[],
  { seed = 1 }: { readonly seed?: number } = {},
): Promise<BiasReport> {
  const names = probes.map(({ kind, case: name }) => `${kind} ${name}`);
  if (new Set(names).size < names.length) throw new ConfigError('A bias probe is there twice: give each case a name.');
  const ends = await run.all(
    probes.map(
      ({ subject, other }) =>
        (branch: Run) =>
          compare(branch, subject, other),
    ),
    WIDTH,
  );
  const verdicts = ends.map((end) => {
    if (!end.ok) throw end.error;
    return end.value;
  });
  const [first] = verdicts;
  if (first === undefined) throw new ConfigError('There are no bias probes to ask the judge.');
  const of = (kind: BiasKind): readonly PairVerdict[] => verdicts.filter((_, index) => probes[index]?.kind === kind);
  return {
    model: first.model,
    rubric: first.rubric.hash,
    findings: BIAS_KINDS.map((kind) => findingOf(kind, of(kind), seed)),
  };
}

function findingOf(kind: BiasKind, verdicts: readonly PairVerdict[], seed: number): BiasFinding {
  const scored = verdicts.flatMap((verdict) => (verdict.kind === 'compared' ? [verdict] : []));
  const preference = bootstrapMean(
    scored.map((verdict) => [kind === 'position' ? forFirst(verdict.orders) : forOther(verdict.orders)]),
    { seed, method: 'percentile' },
  );
  const isEnough = preference !== null && scored.length >= LEAST_CASES;
  const standing = !isEnough ? 'insufficient' : preference.low > 0 ? 'biased' : 'unbiased';
  return { kind, cases: scored.length, unscored: verdicts.length - scored.length, preference, standing };
}

type Orders = Extract<PairVerdict, { readonly kind: 'compared' }>['orders'];

/** Over both orders, whoever wins from both places has no advantage of the place. */
function forFirst([straight, swapped]: Orders): number {
  const won = (winner: Orders[0], shownFirst: Orders[0]): number =>
    winner === 'tie' ? 0 : winner === shownFirst ? 1 : -1;
  return (won(straight, 'subject') + won(swapped, 'other')) / 2;
}

function forOther(orders: Orders): number {
  const won = (winner: Orders[0]): number => (winner === 'tie' ? 0 : winner === 'other' ? 1 : -1);
  return (won(orders[0]) + won(orders[1])) / 2;
}
