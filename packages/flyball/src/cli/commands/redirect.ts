import type { Command } from 'commander';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { whoAmI } from '../place.js';
import { steer } from '../steer.js';

const ABOUT =
  'Give a run a new instruction. It is recorded in the journal and included in the next model call. ' +
  'Also works if another process is running it. A paused run gets the instruction when it resumes.';

interface Options extends CommonOptions {
  readonly as?: string;
  readonly wake: boolean;
}

export function redirectCommand(perform: Perform): Command {
  return newCommand('redirect <run> <text>', ABOUT, [
    "flyball redirect run_1f0c 'leave the tests as they are'",
    "flyball redirect run_1f0c 'only the first chapter' --as ada",
  ])
    .option('--as <who>', 'who gives the instruction, for the journal (default: you)')
    .option('--no-wake', 'only store it; do not continue the run here')
    .action((runId: string, text: string, options: Options) =>
      perform(options, { runId }, (call) =>
        steer(call, {
          runId,
          said: 'Instruction sent',
          wake: options.wake,
          wakes: ['pending', 'running', 'suspended'],
          post: ({ desk }) => desk.redirect(runId, text, { by: options.as ?? whoAmI() }),
        }),
      ),
    );
}
