import type { Command } from 'commander';
import { isBlank } from '../../core/blank.js';
import { ConfigError } from '../../core/errors.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { openExisting } from '../workplace.js';

interface Options extends CommonOptions {
  readonly reason?: string;
  readonly clear?: boolean;
  readonly as?: string;
}

const ABOUT =
  'Put a run under a legal hold, so that neither prune nor erase removes it, or let go of it with --clear. ' +
  'Who did it, when and why is in the log of operations (flyball operations).';

export function holdCommand(perform: Perform): Command {
  return newCommand('hold <run>', ABOUT, [
    "flyball hold run_1f0c --reason 'case 2026-17'",
    "flyball hold run_1f0c --clear --reason 'case closed'",
  ])
    .option('--reason <text>', 'why; needed')
    .option('--clear', 'let go of it')
    .option('--as <who>', 'who does it (default: you)')
    .action((runId: string, { reason, clear = false, as = whoAmI(), ...options }: Options) =>
      perform(options, { runId }, async ({ screen, place }) => {
        if (reason === undefined || isBlank(reason))
          throw new ConfigError('Say why with --reason: it is what the log of operations keeps.');
        const workplace = await openExisting(place, runId);
        try {
          await workplace.engine.hold(runId, { hold: !clear, by: as, why: reason, at: Date.now() });
          screen.data({ kind: 'hold', run: runId, held: !clear });
          screen.line(clear ? `${runId} is no longer held.` : `${runId} is under a legal hold: nothing removes it.`);
          return EXIT.ok;
        } finally {
          await workplace.close();
        }
      }),
    );
}
