import type { Command } from 'commander';
import type { Budget } from '../../core/budget.js';
import { collectBudget } from '../budget-option.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { goOn, refuseEnded } from '../steer.js';
import { openExisting } from '../workplace.js';

interface Options extends CommonOptions {
  readonly budget?: Partial<Budget>;
}

const ABOUT =
  'Resume a run in this process, after a crash, a pause, an interruption, or a limit (with a larger budget). ' +
  'Effects that are in the journal are not made again.';

export function resumeCommand(perform: Perform): Command {
  return newCommand('resume <run>', ABOUT, [
    'flyball resume run_1f0c',
    'flyball resume run_1f0c --budget costUsd=2 --budget modelCalls=40',
  ])
    .option('--budget <axis=value>', 'a larger limit; repeat it for several axes', collectBudget)
    .action((runId: string, options: Options) =>
      perform(options, { runId }, (call) => resume(call, { runId, options })),
    );
}

async function resume(
  call: Call,
  { runId, options }: { readonly runId: string; readonly options: Options },
): Promise<ExitCode> {
  const workplace = await openExisting(call.place, runId);
  try {
    const record = await workplace.desk.get(runId);
    const given = { by: whoAmI(), ...(options.budget === undefined ? {} : { budget: options.budget }) };
    await refuseEnded(workplace.desk, record);
    return await goOn(call, { workplace, record, launch: (runtime) => runtime.resume(runId, given) });
  } finally {
    await workplace.close();
  }
}
