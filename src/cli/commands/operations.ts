import type { Command } from 'commander';
import { brokenOperation } from '../../core/operations.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { openDatabaseThere } from '../workplace.js';

const ABOUT =
  'List what operators did to runs: holds, removals, owners declared gone. Each entry holds the hash of the one before; ' +
  'ends with 1 where one was changed or taken out.';

export function operationsCommand(perform: Perform): Command {
  return newCommand('operations [of]', ABOUT, [
    'flyball operations',
    'flyball operations run_1f0c                    of one run, also one that is gone',
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
            `${n}  ${new Date(at).toISOString()}  ${action}  ${what}  by ${by}${why === undefined ? '' : `: ${why}`}`,
          );
        if (broken === undefined) return EXIT.ok;
        screen.complain(`✗ Entry ${broken} is not as it was written, or something before it was taken out.`);
        return EXIT.failed;
      } finally {
        await workplace.close();
      }
    }),
  );
}
