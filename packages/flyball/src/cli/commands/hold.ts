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
  'Put a run under a legal hold, or release it with --clear. A held run is not removed by prune or erase. ' +
  'The operations log records who did it, when and why (flyball operations).';

export function holdCommand(perform: Perform): Command {
  return newCommand('hold <run>', ABOUT, [
    "flyball hold run_1f0c --reason 'case 2026-17'",
    "flyball hold run_1f0c --clear --reason 'case closed'",
  ])
    .option('--reason <text>', 'why; required')
    .option('--clear', 'release the hold')
    .option('--as <who>', 'who does it (default: you)')
    .action((runId: string, { reason, clear = false, as = whoAmI(), ...options }: Options) =>
      perform(options, { runId }, async ({ screen, place }) => {
        if (reason === undefined || isBlank(reason))
          throw new ConfigError('A reason is required for the operations log. Add --reason.');
        const workplace = await openExisting(place, runId);
        try {
          await workplace.engine.hold(runId, { hold: !clear, by: as, why: reason, at: Date.now() });
          screen.data({ kind: 'hold', run: runId, held: !clear });
          screen.line(
            clear ? `${runId} is no longer held.` : `${runId} is under a legal hold. prune and erase do not remove it.`,
          );
          return EXIT.ok;
        } finally {
          await workplace.close();
        }
      }),
    );
}
