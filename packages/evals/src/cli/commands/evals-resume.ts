import type { Command } from 'commander';
import type { ExitCode } from 'flyball/internal';
import { type Call, type CommonOptions, type Perform, plainCommand } from 'flyball/internal';
import { carryOut } from '../carry-out.js';
import { afterwards, checkGate, type GateOptions } from '../ending.js';
import { ExperimentFolder } from '../experiment-folder.js';
import { prepare } from '../prepare.js';
import { costOf } from '../run-settings.js';
import { announce } from './evals-run.js';

interface Options extends CommonOptions, GateOptions {
  readonly maxCost?: string;
}

const ABOUT =
  'Continue an interrupted experiment. Finished simulations are kept, interrupted ones continue from their journal, and those with infrastructure errors run again.';

export function resumeEvalsCommand(perform: Perform): Command {
  return plainCommand('resume <folder>', ABOUT, [
    'flyball evals resume .flyball/evals/2026-01-01T10-00-00',
    'flyball evals resume runs/nightly --gate baseline.json',
  ])
    .option('--max-cost <usd>', 'a higher cost limit for the whole experiment')
    .option('--gate <baseline>', 'compare with an accepted baseline, and fail if a result got worse')
    .option('--promote <reason>', 'accept the results as the new baseline of --gate, for this reason')
    .action((path: string, options: Options) => perform(options, {}, (call) => resume(call, path, options)));
}

async function resume(call: Call, path: string, options: Options): Promise<ExitCode> {
  checkGate(options);
  const folder = new ExperimentFolder(path);
  const { settings: kept, data } = await folder.kept();
  const settings = options.maxCost === undefined ? kept : { ...kept, maxCost: costOf(options.maxCost) };
  const prepared = await prepare(settings, { ...(data === undefined ? {} : { data }), env: call.env });
  announce(call, settings, prepared, folder.path);
  const ended = await carryOut(prepared, {
    settings,
    folder,
    screen: call.screen,
    resume: call.place.command('evals', 'resume', folder.path),
  });
  return afterwards(call, { ...ended, domain: prepared.domain, folder, settings }, options);
}
