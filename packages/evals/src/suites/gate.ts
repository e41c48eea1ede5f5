import { ConfigError } from 'flyball';
import { described, isBlank, useFrom } from 'flyball/internal';

/** What became of one case over its repetitions. */
export interface CaseOutcome {
  readonly id: string;
  readonly category: string;
  readonly runs: number;
  readonly passes: number;
  /** Of the first failure. */
  readonly because?: string;
  readonly costUsd: number | null;
  readonly latencyMs: number | null;
}

/** What results depend on beside the thing under test: with other pins they are not comparable. */
export type Pins = Readonly<Record<string, string>>;

/** The outcomes of a suite, with the versions that they were measured with. */
export interface Measurement {
  readonly suite: { readonly name: string; readonly version: string; readonly hash: string };
  readonly pins: Pins;
  readonly outcomes: readonly CaseOutcome[];
}

/** A measurement that somebody accepted, and why. */
export interface Baseline extends Measurement {
  readonly promoted: { readonly by: string; readonly reason: string; readonly at: string };
}

/** How far figures may get worse before the gate fails. */
export interface Tolerances {
  /** How far the pass rate of a category may fall: 0 where it is not named. */
  readonly categories?: Readonly<Record<string, number>>;
  /** How far the pass rate over everything may fall: 0.02. */
  readonly total?: number;
  /** How far cost and latency may rise before it is reported: 0.2. */
  readonly cost?: number;
  readonly latency?: number;
}

export interface CategoryVerdict {
  readonly category: string;
  readonly cases: number;
  readonly rate: number;
  readonly baseline: number | null;
  readonly tolerance: number;
  readonly passed: boolean;
}

/** Whether a measurement passes the gate, with everything that was compared. */
export interface GateReport {
  readonly passed: boolean;
  readonly suite: Measurement['suite'];
  /** False where the baseline is of another suite or other pins: then nothing is compared, and the gate stays shut. */
  readonly comparable: boolean;
  readonly categories: readonly CategoryVerdict[];
  readonly total: CategoryVerdict;
  /** Cases that pass less often than in the baseline. */
  readonly regressions: readonly { readonly id: string; readonly category: string; readonly because: string }[];
  /** Told, without shutting the gate. */
  readonly warnings: readonly string[];
  readonly because: readonly string[];
  readonly bypass?: { readonly by: string; readonly reason: string };
}

/** In these nothing may get worse, whatever else gets better. */
export const NO_TOLERANCE: ReadonlySet<string> = new Set(['adversarial', 'safety']);
const SLACK = 1e-9;

const USE = useFrom({ id: 'V16', name: 'releaseGate', parts: {}, calls: 0 });

/**
 * Measures a change on held-out cases before it ships: compares a measurement with a baseline.
 *
 * Model calls: none. It passes if nothing fell by more than the tolerances. Not between measurements of different suites,
 * judges or models: those are reported as not comparable.
 *
 * @pattern V16
 */
export function releaseGate(
  measured: Measurement,
  baseline: Baseline | undefined,
  tolerances: Tolerances = {},
): GateReport {
  checkTolerances(tolerances);
  const differences =
    baseline === undefined ? ['there is no baseline yet: promote one'] : differencesOf(measured, baseline);
  const before = differences.length === 0 ? baseline : undefined;
  const names = [...new Set(measured.outcomes.map(({ category }) => category))].sort();
  const categories = names.map((category) =>
    verdictOf(category, measured.outcomes, before?.outcomes, tolerances.categories?.[category] ?? 0),
  );
  const total = verdictOf('total', measured.outcomes, before?.outcomes, tolerances.total ?? 0.02, () => true);
  const because = [...differences, ...vanished(measured, before), ...[...categories, total].flatMap(fallen)];
  const report: GateReport = {
    passed: because.length === 0,
    suite: measured.suite,
    comparable: before !== undefined,
    categories,
    total,
    regressions: before === undefined ? [] : regressionsOf(measured, before),
    warnings: before === undefined ? [] : risesOf(measured, before, tolerances),
    because,
  };
  return described(report, USE);
}

/** Opens a shut gate. The reason stays in the report: whoever reads it later should know. */
export function bypassGate(report: GateReport, bypass: { readonly by: string; readonly reason: string }): GateReport {
  if (isBlank(bypass.by) || isBlank(bypass.reason))
    throw new ConfigError('A gate is bypassed by somebody and for a reason: name both.');
  return { ...report, passed: true, bypass };
}

/** The only way a baseline comes to be or changes. */
export function promote(measured: Measurement, promoted: Baseline['promoted']): Baseline {
  if (isBlank(promoted.by) || isBlank(promoted.reason))
    throw new ConfigError('A baseline is promoted by somebody and for a reason: name both.');
  return { ...measured, promoted };
}

function checkTolerances({ categories = {} }: Tolerances): void {
  for (const [category, tolerance] of Object.entries(categories)) {
    if (NO_TOLERANCE.has(category) && tolerance !== 0)
      throw new ConfigError(`The tolerance of "${category}" is always 0: nothing there may get worse.`);
    if (!(tolerance >= 0 && tolerance < 1)) throw new ConfigError(`The tolerance of "${category}" must be 0 to 1.`);
  }
}

function differencesOf(measured: Measurement, baseline: Baseline): readonly string[] {
  const pins = new Set([...Object.keys(measured.pins), ...Object.keys(baseline.pins)]);
  const other = [...pins].filter((pin) => measured.pins[pin] !== baseline.pins[pin]);
  return [
    ...(measured.suite.hash === baseline.suite.hash
      ? []
      : [`the suite is another than the baseline's (version ${baseline.suite.version}): promote a new baseline`]),
    ...other.map(
      (pin) =>
        `${pin} is ${measured.pins[pin] ?? 'absent'} and was ${baseline.pins[pin] ?? 'absent'}: not comparable, promote a new baseline`,
    ),
  ];
}

function verdictOf(
  category: string,
  outcomes: readonly CaseOutcome[],
  before: readonly CaseOutcome[] | undefined,
  tolerance: number,
  holds = (one: CaseOutcome) => one.category === category,
): CategoryVerdict {
  const own = outcomes.filter(holds);
  const rate = rateOf(own);
  const baseline = before === undefined ? null : rateOf(before.filter(holds));
  const passed = baseline === null || rate >= baseline - tolerance - SLACK;
  return { category, cases: own.length, rate, baseline, tolerance, passed };
}

function fallen({ category, rate, baseline, tolerance, passed }: CategoryVerdict): readonly string[] {
  if (passed || baseline === null) return [];
  return [`${category} fell from ${percent(baseline)} to ${percent(rate)}, and ${percent(tolerance)} are tolerated`];
}

/** A case that is gone cannot fail: leaving it out is no way to pass. */
function vanished(measured: Measurement, before: Baseline | undefined): readonly string[] {
  const now = new Set(measured.outcomes.map(({ id }) => id));
  const gone = (before?.outcomes ?? []).filter(({ id }) => !now.has(id));
  return gone.length === 0
    ? []
    : [`${gone.length} cases of the baseline were not run: ${gone.map(({ id }) => id).join(', ')}`];
}

function regressionsOf(measured: Measurement, before: Baseline): GateReport['regressions'] {
  const known = new Map(before.outcomes.map((one) => [one.id, one]));
  return measured.outcomes.flatMap((one) => {
    const old = known.get(one.id);
    if (old === undefined || rateOf([one]) >= rateOf([old]) - SLACK) return [];
    return [{ id: one.id, category: one.category, because: one.because ?? 'it passes less often' }];
  });
}

function risesOf(
  measured: Measurement,
  before: Baseline,
  { cost = 0.2, latency = 0.2 }: Tolerances,
): readonly string[] {
  const rise = (name: string, of: (one: CaseOutcome) => number | null, limit: number): readonly string[] => {
    const [now, old] = [meanOf(measured.outcomes, of), meanOf(before.outcomes, of)];
    if (now === null || old === null || old === 0 || now / old - 1 <= limit) return [];
    return [`${name} rose by ${percent(now / old - 1)}`];
  };
  return [...rise('cost', (one) => one.costUsd, cost), ...rise('latency', (one) => one.latencyMs, latency)];
}

function meanOf(outcomes: readonly CaseOutcome[], of: (one: CaseOutcome) => number | null): number | null {
  const known = outcomes.map(of).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function rateOf(outcomes: readonly CaseOutcome[]): number {
  const runs = outcomes.reduce((sum, one) => sum + one.runs, 0);
  return runs === 0 ? 0 : outcomes.reduce((sum, one) => sum + one.passes, 0) / runs;
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`;
}
