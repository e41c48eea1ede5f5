import type { Baseline, Baselines, TestHarness, TestReport } from './contracts.js';

/** A baseline without tests. */
export const NO_BASELINE: Baseline = { passing: [], known: [] };

type Command = Pick<TestHarness, 'level' | 'command' | 'cwd'>;

/** The baseline of a test command. */
export function baselineOf(baselines: Baselines, of: Command): Baseline {
  return baselines[keyOf(of)] ?? NO_BASELINE;
}

/** With what a run showed. A run that could not be read shows nothing. */
export function withReports(baselines: Baselines, reports: readonly TestReport[]): Baselines {
  const all: Record<string, Baseline> = { ...baselines };
  for (const report of reports) all[keyOf(report)] = withReport(baselineOf(all, report), report);
  return all;
}

function withReport(baseline: Baseline, report: TestReport): Baseline {
  const ran = Math.max(baseline.ran ?? 0, report.ran ?? 0);
  return {
    passing: [...new Set([...baseline.passing, ...report.passing])],
    known: [...new Set([...baseline.known, ...report.known])],
    ...(ran === 0 ? {} : { ran }),
  };
}

function keyOf({ level, command, cwd }: Command): string {
  return cwd === undefined ? `${level} ${command}` : `${level} ${command} in ${cwd}`;
}
