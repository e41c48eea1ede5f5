import type { Command } from 'commander';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { whoAmI } from '../place.js';
import { steer } from '../steer.js';

const ABOUT =
  'Tell a run to do something differently from now on. It is part of its journal, and its next model call is told. ' +
  'Reaches a run that another process works on; one that is paused hears it when it goes on.';

interface Options extends CommonOptions {
  readonly as?: string;
  readonly wake: boolean;
}

export function redirectCommand(perform: Perform): Command {
  return newCommand('redirect <run> <text>', ABOUT, [
    "flyball redirect run_1f0c 'leave the tests as they are'",
    "flyball redirect run_1f0c 'only the first chapter' --as ada",
  ])
    .option('--as <who>', 'who wants it, for the journal (default: you)')
    .option('--no-wake', 'only store it; do not go on with the run here')
    .action((runId: string, text: string, options: Options) =>
      perform(options, { runId }, (call) =>
        steer(call, {
          runId,
          said: 'The run is told',
          wake: options.wake,
          wakes: ['pending', 'running', 'suspended'],
          post: ({ desk }) => desk.redirect(runId, text, { by: options.as ?? whoAmI() }),
        }),
      ),
    );
}
