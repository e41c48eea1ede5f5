import type { Baseline, Baselines, TestHarness, TestReport } from './contracts.js';

export const NO_BASELINE: Baseline = { passing: [], known: [] };

type Command = Pick<TestHarness, 'level' | 'command'>;

export function baselineOf(baselines: Baselines, of: Command): Baseline {
  return baselines[keyOf(of)] ?? NO_BASELINE;
}

/** With what a run showed. A run that could not be read shows nothing. */
export function withReports(baselines: Baselines, reports: readonly TestReport[]): Baselines {
  return reports.reduce<Baselines>((all, report) => {
    const { passing, known } = baselineOf(all, report);
    return {
      ...all,
      [keyOf(report)]: {
        passing: [...new Set([...passing, ...report.passing])],
        known: [...new Set([...known, ...report.known])],
      },
    };
  }, baselines);
}

function keyOf({ level, command }: Command): string {
  return `${level} ${command}`;
}
