import type { Command } from 'commander';
import { brokenOperation } from '../../core/operations.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { printable } from '../printable.js';
import { openDatabaseThere } from '../workplace.js';

const ABOUT =
  'List what operators did to runs: holds, removals, and owners declared gone. Each entry contains the hash of the previous one. ' +
  'Exits with 1 if an entry was changed or removed.';

export function operationsCommand(perform: Perform): Command {
  return newCommand('operations [of]', ABOUT, [
    'flyball operations',
    'flyball operations run_1f0c                    of one run, even if it was removed',
  ]).action((of: string | undefined, options: CommonOptions) =>
    perform(options, {}, async ({ screen, place }) => {
      const workplace = await openDatabaseThere(place);
      try {
        const all = await workplace.engine.operations();
        const broken = brokenOperation(all);
        const shown = all.filter((each) => of === undefined || each.of === of);
        screen.data({ operations: shown, ...(broken === undefined ? {} : { broken }) });
        if (shown.length === 0) screen.line('No operations.');
        for (const { n, at, by, action, of: what, why } of shown)
          screen.line(
            printable(
              `${n}  ${new Date(at).toISOString()}  ${action}  ${what}  by ${by}${why === undefined ? '' : `: ${why}`}`,
            ),
          );
        if (broken === undefined) return EXIT.ok;
        screen.complain(`✗ Entry ${broken} was changed, or an entry before it was removed.`);
        return EXIT.failed;
      } finally {
        await workplace.close();
      }
    }),
  );
}
