import type { Command } from 'commander';
import type { Outcome } from '../../core/outcome.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode, exitCodeOfOutcome } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { steer } from '../steer.js';

const ABOUT =
  'Cancel a run. Running actions are aborted, completed ones are undone, newest first, and the report lists what could not be undone. ' +
  'Also works if another process is running it.';

export function cancelCommand(perform: Perform): Command {
  return newCommand('cancel <run>', ABOUT, [
    'flyball cancel run_1f0c',
    "flyball cancel run_1f0c --reason 'wrong customer'",
  ])
    .option('--reason <text>', 'why, for the journal and the report')
    .option('--no-wake', 'only store the request; do not continue the run here')
    .action((runId: string, options: CommonOptions & { readonly reason?: string; readonly wake: boolean }) =>
      perform(options, { runId }, (call) =>
        steer(call, {
          runId,
          said: 'Cancellation requested',
          wake: options.wake,
          wakes: ['pending', 'running', 'suspended', 'paused', 'bounded', 'stalled'],
          post: ({ desk }) =>
            desk.cancel(runId, { by: whoAmI(), ...(options.reason === undefined ? {} : { why: options.reason }) }),
          exitCodeOf: cancelled,
        }),
      ),
    );
}

/** Cancelled is what was asked for; only what a person must still undo makes it a failure. */
function cancelled(outcome: Outcome<unknown>): ExitCode {
  if (outcome.stop !== 'cancelled') return exitCodeOfOutcome(outcome);
  return outcome.rollback?.attention === undefined ? EXIT.ok : EXIT.failed;
}
