import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { ConfigError } from 'flyball';
import type { Call } from 'flyball/internal';
import { EXIT, type ExitCode, isBlank, plural } from 'flyball/internal';
import type { ExperimentSettings } from '../experiment/settings.js';
import type { Summary } from '../metrics/summary.js';
import { tableMarkdown } from '../reports/plain-forms.js';
import { type Report, reportOf } from '../reports/report.js';
import { type Baseline, type GateReport, promote, releaseGate } from '../suites/gate.js';
import { measurementOf } from '../suites/results-gate.js';
import type { Domain } from '../world/environment.js';
import type { CarriedOut } from './carry-out.js';
import type { ExperimentFolder } from './experiment-folder.js';

export interface GateOptions {
  readonly gate?: string;
  readonly promote?: string;
}

/** Before anything is run: an experiment that cannot be compared at its end was paid for in vain. */
export function checkGate({ gate: file, promote: reason }: GateOptions): void {
  if (file === undefined && reason !== undefined)
    throw new ConfigError('--promote needs --gate with the file of the baseline.');
  if (reason !== undefined && isBlank(reason)) throw new ConfigError('--promote needs a reason.');
  if (file !== undefined && reason === undefined) baselineIn(file);
}

/** What is said and decided when an experiment has ended, or was stopped. */
export async function afterwards(
  call: Call,
  ended: CarriedOut & {
    readonly domain: Domain;
    readonly folder: ExperimentFolder;
    readonly settings: ExperimentSettings;
  },
  options: GateOptions,
): Promise<ExitCode> {
  const { screen, place } = call;
  const { report, domain, folder, stopped, settings } = ended;
  await domain.close?.();
  const measured = [...report.results.values()].map((results) => ({ results, domain }));
  const { tables = 'full', models } = settings;
  const summary = reportOf(measured, { tables, models });
  tell(call, summary);
  if (stopped !== undefined) {
    screen.data({ kind: 'stopped', folder: folder.path, why: stopped.why });
    screen.line(`Stopped: ${stopped.why}. Continue with: ${place.command('evals', 'resume', folder.path)}`);
    return stopped.exitCode;
  }
  if (summary.summaries.some(({ unscored }) => unscored > 0))
    screen.line('Some results could not be judged. Set a model for natural-language assertions with --judge.');
  const failed = summary.summaries.reduce((sum, { infrastructureErrors }) => sum + infrastructureErrors, 0);
  if (failed > 0)
    screen.line(
      `${plural(failed, 'simulation')} failed because of infrastructure errors. Fix the cause, then run them again: ${place.command('evals', 'resume', folder.path)}`,
    );
  if (tables === 'paper') for (const table of summary.tables) screen.line(`\n${tableMarkdown(table)}`);
  screen.line(`Report: ${place.command('evals', 'report', folder.path)}`);
  screen.line(`Conversations: ${place.command('evals', 'show', folder.path)}`);
  if (options.gate === undefined) {
    screen.data({ kind: 'ended', folder: folder.path, summaries: summary.summaries });
    const isVain = failed > 0 && summary.summaries.every(({ simulations }) => simulations === 0);
    return isVain ? EXIT.failed : EXIT.ok; // a provider that is down all the time is no result
  }
  return decide(call, measured, { file: options.gate, reason: options.promote });
}

function tell({ screen }: Call, { summaries }: Report): void {
  screen.line();
  const widest = Math.max(0, ...summaries.map(({ label }) => label.length));
  for (const one of summaries) {
    const { label, pass1, passHat, simulations, compliance, infrastructureErrors, unscored } = one;
    const rate =
      pass1 === null
        ? 'nothing scored'
        : `pass^1 ${pass1.value.toFixed(3)} [${pass1.low.toFixed(2)}, ${pass1.high.toFixed(2)}]`;
    const apart = [
      ...(infrastructureErrors > 0 ? [`${plural(infrastructureErrors, 'infrastructure error')} apart`] : []),
      ...(unscored > 0 ? [`${unscored} unscored`] : []),
    ];
    const further = passHat.slice(1).map((value, index) => `, pass^${index + 2} ${value.toFixed(3)}`);
    screen.line(
      `${label.padEnd(widest)}  ${rate} over ${simulations}${further.join('')}, ${compliance.unauthorized.hits} unauthorized${effortOf(one)}${apart.length === 0 ? '' : `  (${apart.join(', ')})`}`,
    );
  }
}

/** What a task takes on average. */
function effortOf({ seconds, modelCalls, costPerTask }: Summary): string {
  const parts = [
    ...(seconds.value === null ? [] : [`${seconds.value.toFixed(1)} s`]),
    ...(modelCalls.value === null ? [] : [`${modelCalls.value.toFixed(1)} model calls`]),
    ...(costPerTask.value === null ? [] : [`$${costPerTask.value.toFixed(4)}`]),
  ];
  return parts.length === 0 ? '' : `; a task: ${parts.join(', ')}`;
}

async function decide(
  { screen }: Call,
  measured: Parameters<typeof measurementOf>[0],
  { file, reason }: { readonly file: string; readonly reason: string | undefined },
): Promise<ExitCode> {
  const measurement = measurementOf(measured);
  if (reason !== undefined) {
    const at = new Date().toISOString();
    const baseline = promote(measurement, { by: userInfo().username, reason, at });
    await writeFile(file, `${JSON.stringify(baseline, null, 2)}\n`);
    screen.data({ kind: 'promoted', baseline: file, cases: measurement.outcomes.length });
    screen.line(`${file} is the baseline now: ${measurement.outcomes.length} cases.`);
    return EXIT.ok;
  }
  const report = releaseGate(measurement, baselineIn(file));
  screen.data({ kind: 'gate', ...report });
  for (const line of gateLines(report)) (report.passed ? screen.line : screen.complain)(line);
  return report.passed ? EXIT.ok : EXIT.failed;
}

function baselineIn(file: string): Baseline {
  if (!existsSync(file))
    throw new ConfigError(`There is no baseline ${file}. To create one from the results, add --promote "<reason>".`);
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Baseline> | null;
    if (!Array.isArray(value?.outcomes) || typeof value.suite?.hash !== 'string') throw new Error('it has no outcomes');
    return value as Baseline;
  } catch (error) {
    throw new ConfigError(
      `${file} is not a baseline: ${(error as Error).message}. To replace it, add --promote "<reason>".`,
    );
  }
}

function gateLines({ passed, because, regressions, warnings, total }: GateReport): readonly string[] {
  return [
    passed ? `✓ The gate passed: ${(total.rate * 100).toFixed(1)} % of the cases pass.` : '✗ The gate failed:',
    ...because.map((why) => `  ${why}`),
    ...regressions.slice(0, 20).map(({ id, because: why }) => `  worse: ${id} (${why})`),
    ...warnings.map((warning) => `  note: ${warning}`),
  ];
}
