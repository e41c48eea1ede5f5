import { Command } from 'commander';
import { ConfigError } from '../../core/errors.js';
import { BULK, type BulkAction, bulkRuns, carryOutBulk } from '../../operation/bulk.js';
import type { RunStatus } from '../../ports/engine.js';
import { plural, shorten } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { lengthOfTime } from '../keys/length-of-time.js';
import { whoAmI } from '../place.js';
import { openDatabaseThere } from '../workplace.js';

interface Options extends CommonOptions {
  readonly status?: string;
  readonly agent?: string;
  readonly tenant?: string;
  readonly subject?: string;
  readonly older?: string;
  readonly code?: string;
  readonly limit: string;
  readonly reason?: string;
  readonly yes?: boolean;
}

const ABOUT: Readonly<Record<BulkAction, string>> = {
  resume: 'Let many paused runs go on.',
  retry: 'Try many stalled runs again, after their cause was removed. Their crashes are forgotten.',
  cancel: 'Cancel many runs that have not ended: what they did is undone.',
};

export function bulkCommand(perform: Perform): Command {
  const command = new Command('bulk')
    .summary('Decide about many runs at once')
    .description(
      'Decide about many runs at once: resume paused ones, retry stalled ones, cancel what has not ended. Without --yes it only lists them. ' +
        'The decisions are stored; servers on the database carry them out.',
    );
  command.helpCommand(false);
  for (const action of Object.keys(BULK) as BulkAction[]) command.addCommand(bulkOf(perform, action));
  return command;
}

function bulkOf(perform: Perform, action: BulkAction): Command {
  const command = newCommand(action, ABOUT[action], [
    `flyball bulk ${action} --agent desk                       which ones`,
    `flyball bulk ${action} --agent desk --older 1h --yes`,
    ...(action === 'retry' ? ['flyball bulk retry --code REPLAY_DIVERGED --yes'] : []),
  ])
    .option('--agent <name>', 'only runs of this agent')
    .option('--tenant <name>', 'only runs of this tenant')
    .option('--subject <who>', 'only runs for this subject')
    .option('--older <time>', 'only runs that were last changed longer ago than this, as in 1h or 7d')
    .option('--code <code>', 'only runs with this failure code, or at this bound')
    .option('--limit <count>', 'at most so many', '10000')
    .option('--reason <text>', 'why, for the journals of cancelled runs')
    .option('--yes', 'do it');
  if (BULK[action].length > 1) command.option('--status <status>', `only runs that are ${BULK[action].join(', ')}`);
  return command.action((options: Options) => perform(options, {}, (call) => bulk(call, action, options)));
}

async function bulk({ screen, place }: Call, action: BulkAction, options: Options): Promise<ExitCode> {
  const { agent, tenant, subject, older, code, reason } = options;
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) throw new ConfigError('--limit is a whole number of at least 1.');
  const status = options.status === undefined ? undefined : BULK[action].find((each) => each === options.status);
  if (options.status !== undefined && status === undefined)
    throw new ConfigError(`--status is one of ${BULK[action].join(', ')}.`);
  const workplace = await openDatabaseThere(place);
  try {
    const filter = {
      ...(agent === undefined ? {} : { agent }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(subject === undefined ? {} : { subject }),
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status: status as RunStatus }),
      ...(older === undefined ? {} : { before: Date.now() - lengthOfTime('--older', older) }),
    };
    const runs = await bulkRuns(workplace.engine, action, filter, limit);
    if (options.yes !== true) {
      screen.data({
        kind: action,
        dryRun: true,
        runs: runs.map(({ id, agent: of, status: stands, code: why }) => ({
          id,
          agent: of,
          status: stands,
          code: why,
        })),
      });
      screen.line(`${plural(runs.length, 'run')} to ${action}${runs.length === 0 ? '.' : ':'}`);
      for (const run of runs.slice(0, 50))
        screen.line(
          `  ${run.id}  ${run.agent}  ${run.status}${run.code === undefined ? '' : `  ${run.code}`}  ${shorten(run.attention ?? '', 80)}`.trimEnd(),
        );
      if (runs.length > 50) screen.line(`  and ${runs.length - 50} more; --json has all of them`);
      if (runs.length > 0) screen.line('Nothing was changed. Add --yes to do it.');
      return EXIT.ok;
    }
    const parts = { engine: workplace.engine, runtime: workplace.desk, by: whoAmI(), now: Date.now };
    const { done, refused } = await carryOutBulk(
      reason === undefined ? parts : { ...parts, why: reason },
      action,
      runs,
    );
    screen.data({ kind: action, dryRun: false, done, refused });
    screen.line(`${plural(done.length, 'run')}: ${action} is stored. A server on this database carries it out.`);
    for (const { id, why } of refused) screen.line(`  ${id}: ${why}`);
    return refused.length > 0 ? EXIT.conflict : EXIT.ok;
  } finally {
    await workplace.close();
  }
}
