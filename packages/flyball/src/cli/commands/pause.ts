import type { Command } from 'commander';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, exitCodeOfOutcome } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { steer } from '../steer.js';

const ABOUT =
  'Pause a run at the next safe point. Running actions finish, nothing new starts, and the run stays paused until you resume it. ' +
  'Also works if another process is running it.';

export function pauseCommand(perform: Perform): Command {
  return newCommand('pause <run>', ABOUT, ['flyball pause run_1f0c', 'flyball pause run_1f0c --no-wake'])
    .option('--no-wake', 'only store the request; do not touch the run here')
    .action((runId: string, options: CommonOptions & { readonly wake: boolean }) =>
      perform(options, { runId }, (call) =>
        steer(call, {
          runId,
          said: 'Pause requested',
          wake: options.wake,
          wakes: ['pending', 'running', 'suspended'],
          post: ({ desk }) => desk.pause(runId, { by: whoAmI() }),
          // it was asked to pause and did: carried out
          exitCodeOf: (outcome) =>
            outcome.stop === 'suspended' && outcome.paused === true ? EXIT.ok : exitCodeOfOutcome(outcome),
        }),
      ),
    );
}
