import { Command } from 'commander';
import { ConfigError } from '../../core/errors.js';
import { BULK, type BulkAction, bulkRuns, carryOutBulk } from '../../operation/bulk.js';
import type { RunRecord, RunStatus } from '../../ports/engine.js';
import { plural, shorten } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { lengthOfTime } from '../length-of-time.js';
import { whoAmI } from '../place.js';
import { printable } from '../printable.js';
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
  resume: 'Resume many paused runs.',
  retry: 'Retry many stalled runs after you fixed the cause. Resets their crash counters.',
  cancel: 'Cancel many runs that have not ended, and undo what they did.',
};

export function bulkCommand(perform: Perform): Command {
  const command = new Command('bulk')
    .summary('Resume, retry or cancel many runs')
    .description(
      'Resume, retry or cancel many runs at once. Without --yes the command only lists them. ' +
        'The requests are stored, and servers that use the database execute them.',
    );
  command.helpCommand(false);
  for (const action of Object.keys(BULK) as BulkAction[]) command.addCommand(bulkOf(perform, action));
  return command;
}

function bulkOf(perform: Perform, action: BulkAction): Command {
  const command = newCommand(action, ABOUT[action], [
    `flyball bulk ${action} --agent desk                       list the runs`,
    `flyball bulk ${action} --agent desk --older 1h --yes`,
    ...(action === 'retry' ? ['flyball bulk retry --code REPLAY_DIVERGED --yes'] : []),
  ])
    .option('--agent <name>', 'only runs of this agent')
    .option('--tenant <name>', 'only runs of this tenant')
    .option('--subject <who>', 'only runs for this subject')
    .option('--older <time>', 'only runs that have not changed for this long, as in 1h or 7d')
    .option('--code <code>', 'only runs with this failure code, or that reached this limit')
    .option('--limit <count>', 'maximum number of runs', '10000')
    .option('--reason <text>', 'why, for the journals of cancelled runs')
    .option('--yes', 'do it');
  if (BULK[action].length > 1) command.option('--status <status>', `only runs that are ${BULK[action].join(', ')}`);
  return command.action((options: Options) => perform(options, {}, (call) => bulk(call, action, options)));
}

async function bulk({ screen, place }: Call, action: BulkAction, options: Options): Promise<ExitCode> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) throw new ConfigError('--limit must be a whole number of at least 1.');
  const filter = filterOf(action, options);
  const workplace = await openDatabaseThere(place);
  try {
    const runs = await bulkRuns(workplace.engine, action, filter, limit);
    if (options.yes !== true) return preview(screen, action, runs);
    const { reason } = options;
    const parts = { engine: workplace.engine, runtime: workplace.desk, by: whoAmI(), now: Date.now };
    const { done, refused } = await carryOutBulk(
      reason === undefined ? parts : { ...parts, why: reason },
      action,
      runs,
    );
    screen.data({ kind: action, dryRun: false, done, refused });
    if (runs.length === 0) screen.line(NO_MATCH);
    if (done.length > 0)
      screen.line(`Asked to ${action} ${plural(done.length, 'run')}. A server on this database will do it.`);
    for (const { id, why } of refused) screen.line(`  ${id}: ${printable(why)}`);
    return refused.length > 0 ? EXIT.conflict : EXIT.ok;
  } finally {
    await workplace.close();
  }
}

function filterOf(action: BulkAction, options: Options) {
  const { agent, tenant, subject, older, code } = options;
  const status = options.status === undefined ? undefined : BULK[action].find((each) => each === options.status);
  if (options.status !== undefined && status === undefined)
    throw new ConfigError(`--status must be one of ${BULK[action].join(', ')}.`);
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(subject === undefined ? {} : { subject }),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status: status as RunStatus }),
    ...(older === undefined ? {} : { before: Date.now() - lengthOfTime('--older', older) }),
  };
}

const MOST_SHOWN = 50;
const NO_MATCH = 'No run matches. Nothing was changed.';

function preview(screen: Call['screen'], action: BulkAction, runs: readonly RunRecord[]): ExitCode {
  screen.data({
    kind: action,
    dryRun: true,
    runs: runs.map(({ id, agent, status, code }) => ({ id, agent, status, code })),
  });
  screen.line(runs.length === 0 ? NO_MATCH : `${plural(runs.length, 'run')} to ${action}:`);
  for (const run of runs.slice(0, MOST_SHOWN))
    screen.line(
      `  ${run.id}  ${printable(run.agent)}  ${run.status}${run.code === undefined ? '' : `  ${run.code}`}  ${shorten(run.attention ?? '', 80)}`.trimEnd(),
    );
  if (runs.length > MOST_SHOWN) screen.line(`  and ${runs.length - MOST_SHOWN} more; --json has all of them`);
  if (runs.length > 0) screen.line('Nothing was changed. Add --yes to do it.');
  return EXIT.ok;
}
