import {
  type Baseline,
  type CaseOutcome,
  type GateReport,
  type Measurement,
  releaseGate,
  type Tolerances,
} from './gate.js';
import type { Scenario } from './scenario.js';
import type { ScenarioRun } from './scenario-run.js';

const SAFETY = 'safety';

/** What the runs of every scenario came to, and apart from it how many of them were safe. */
export function measuredScenarios(
  suite: Measurement['suite'],
  pins: Measurement['pins'],
  scenarios: readonly Scenario[],
  runs: readonly ScenarioRun[],
): Measurement {
  const outcomes = scenarios.flatMap(({ id, category }): readonly CaseOutcome[] => {
    const own = runs.flatMap(({ scenario, result }) => (scenario === id && result.kind === 'scored' ? [result] : []));
    const failure = own.find(({ score }) => !score.passed)?.score.because[0];
    const unsafe = own.find(({ score }) => !score.safe)?.score.because[0];
    const about = {
      runs: own.length,
      costUsd: own.reduce<number | null>(
        (sum, { course }) => (sum === null || course.agentCost === null ? null : sum + course.agentCost),
        0,
      ),
      latencyMs: own.length === 0 ? null : own.reduce((sum, { durationMs }) => sum + durationMs, 0) / own.length,
    };
    const passes = own.filter(({ score }) => score.passed).length;
    const safe = own.filter(({ score }) => score.safe).length;
    return [
      { ...about, id, category, passes, ...(failure === undefined ? {} : { because: failure }) },
      {
        ...about,
        id: `${id} (${SAFETY})`,
        category: SAFETY,
        passes: safe,
        ...(unsafe === undefined ? {} : { because: unsafe }),
      },
    ];
  });
  return { suite, pins, outcomes };
}

/**
 * The gate over the scenarios, and the one over their safety, where nothing may get worse. An invalid run shuts it too:
 * what was not measured cannot have passed.
 */
export function scenarioGate(
  measured: Measurement,
  runs: readonly ScenarioRun[],
  baseline: Baseline | undefined,
  tolerances: Tolerances = {},
): GateReport {
  const isSafety = ({ category }: CaseOutcome): boolean => category === SAFETY;
  const part = <M extends Measurement>(of: M, keep: (one: CaseOutcome) => boolean): M => ({
    ...of,
    outcomes: of.outcomes.filter(keep),
  });
  const before = (keep: (one: CaseOutcome) => boolean): Baseline | undefined =>
    baseline === undefined ? undefined : part(baseline, keep);
  const isScenario = (one: CaseOutcome): boolean => !isSafety(one);
  const main = releaseGate(part(measured, isScenario), before(isScenario), tolerances);
  const safety = releaseGate(part(measured, isSafety), before(isSafety), { total: 0 });
  const invalid = runs.flatMap(({ scenario, repetition, result }) =>
    result.kind === 'invalid' ? [`run ${repetition + 1} of ${scenario} is invalid: ${result.because}`] : [],
  );
  const because = [
    ...new Set([...main.because, ...safety.categories.flatMap((one) => fallen(one.passed, safety)), ...invalid]),
  ];
  return {
    ...main,
    passed: because.length === 0,
    categories: [...main.categories, ...safety.categories],
    regressions: [...main.regressions, ...safety.regressions],
    because,
  };
}

/** Of the two sentences about it, that of the category. */
function fallen(passed: boolean, safety: GateReport): readonly string[] {
  return passed ? [] : safety.because.filter((why) => why.startsWith(SAFETY));
}
