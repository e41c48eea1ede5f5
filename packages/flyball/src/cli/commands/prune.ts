import { type Command, Option } from 'commander';
import { systemClock } from '../../adapters/host-node/system-clock.js';
import { ConfigError } from '../../core/errors.js';
import { type Remover, removeRuns } from '../../operation/removal.js';
import { ENDED, planRetention, REMOVABLE, type RetentionPlan, whyItStays } from '../../operation/retention-plan.js';
import type { RunStatus } from '../../ports/engine.js';
import { plural } from '../amounts.js';
import { bytesOf, bytesText } from '../bytes.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { databaseFile } from '../database.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { tellKept } from '../kept-runs.js';
import { lengthOfTime } from '../length-of-time.js';
import { whoAmI } from '../place.js';
import { printable } from '../printable.js';
import { openDatabaseThere, type Workplace } from '../workplace.js';

interface PruneOptions extends CommonOptions {
  readonly older?: string;
  readonly status?: readonly string[];
  readonly agent?: string;
  readonly tenant?: string;
  readonly maxSize?: string;
  readonly vacuum?: boolean;
  readonly yes?: boolean;
}

interface EraseOptions extends CommonOptions {
  readonly subject: string;
  readonly tenant?: string;
  readonly reason?: string;
  readonly yes?: boolean;
}

const PRUNE =
  'Remove old runs: finished runs older than --older, or the oldest finished runs until all journals and contents fit into --max-size. ' +
  'Without --yes the command only lists what would be removed. It keeps runs under a legal hold, and data that a fork still needs. ' +
  'A tombstone of each run remains: agent, times, status, and the hashes needed to verify its audit file.';
const ERASE =
  'Erase all runs of a subject: their journals, messages and questions. ' +
  'Without --yes the command only lists what would be removed. Cancel runs that have not ended first. Runs under a legal hold are kept. ' +
  'A tombstone of each run remains, without its content or its subject.';

export function pruneCommand(perform: Perform): Command {
  return newCommand('prune', PRUNE, [
    'flyball prune --older 90d                          list what would be removed',
    'flyball prune --older 90d --status done --yes',
    'flyball prune --max-size 2GB --yes --vacuum        and free the disk space',
  ])
    .option('--older <time>', 'only runs that have not changed for this long, as in 90d or 12h')
    .option(
      '--max-size <bytes>',
      'remove the oldest runs until all journals and contents fit into this size, as in 500MB or 2GB',
    )
    .option(
      '--status <status>',
      `only runs that are ${REMOVABLE.join(', ')}; repeat it (default: ${ENDED.join(', ')})`,
      collect,
    )
    .option('--agent <name>', 'only runs of this agent')
    .option('--tenant <name>', 'only runs of this tenant')
    .option('--vacuum', 'rewrite the database to free disk space; temporarily needs as much space again')
    .addOption(dryRun())
    .option('--yes', 'remove them')
    .action((options: PruneOptions) => perform(options, {}, (call) => prune(call, options)));
}

export function eraseCommand(perform: Perform): Command {
  return newCommand('erase', ERASE, [
    'flyball erase --subject ada@example.com              list what would be removed',
    "flyball erase --subject ada@example.com --reason 'request of 2 March' --yes",
  ])
    .requiredOption('--subject <who>', 'whose runs')
    .option('--tenant <name>', 'only runs of this tenant')
    .option('--reason <text>', 'why, for the operations log; do not include names')
    .addOption(dryRun())
    .option('--yes', 'erase them')
    .action((options: EraseOptions) => perform(options, {}, (call) => erase(call, options)));
}

/** It is what happens without --yes: for those who would rather say so. */
function dryRun(): Option {
  return new Option('--dry-run', 'only list what would be removed, as without --yes').conflicts('yes');
}

async function prune(call: Call, options: PruneOptions): Promise<ExitCode> {
  const { older, maxSize, status = ENDED, agent, tenant } = options;
  if (older === undefined && maxSize === undefined)
    throw new ConfigError('Say what to remove: --older 90d, --max-size 2GB, or both.');
  const statuses = status.map(removable);
  if (options.vacuum === true) databaseFile(call.place, 'prune --vacuum');
  const workplace = await openDatabaseThere(call.place);
  try {
    const plan = await planRetention(workplace.engine, {
      statuses,
      ...(older === undefined ? {} : { before: Date.now() - lengthOfTime('--older', older) }),
      ...(maxSize === undefined ? {} : { maxBytes: bytesOf('--max-size', maxSize) }),
      ...(agent === undefined ? {} : { agent }),
      ...(tenant === undefined ? {} : { tenant }),
    });
    if (options.yes !== true) return tell(call, plan, 'prune');
    const code = await carryOut(call, workplace, plan, { action: 'prune', by: whoAmI() });
    if (options.vacuum === true) await workplace.engine.compact?.({ vacuum: true });
    return code;
  } finally {
    await workplace.close();
  }
}

async function erase(call: Call, { subject, tenant, reason, yes }: EraseOptions): Promise<ExitCode> {
  const workplace = await openDatabaseThere(call.place);
  try {
    const plan = await planRetention(workplace.engine, {
      statuses: ALL,
      subject,
      evenAwaited: true, // what is to be forgotten does not wait for anybody
      ...(tenant === undefined ? {} : { tenant }),
    });
    if (yes !== true) return tell(call, plan, 'erase');
    const why = reason === undefined ? {} : { why: reason };
    const code = await carryOut(call, workplace, plan, { action: 'erase', by: whoAmI(), ...why });
    await workplace.engine.compact?.({ vacuum: false }); // what was erased must not stay in the log
    return plan.staying.length > 0 ? EXIT.conflict : code;
  } finally {
    await workplace.close();
  }
}

const ALL: readonly RunStatus[] = [...REMOVABLE, 'pending', 'running', 'suspended', 'paused'];
const MOST_SHOWN = 20;

/** The dry run. */
function tell({ screen }: Call, plan: RetentionPlan, what: 'prune' | 'erase'): ExitCode {
  const { going, staying } = plan;
  const bytes = going.reduce((sum, run) => sum + run.bytes, 0);
  screen.data({
    kind: what,
    dryRun: true,
    runs: going.map(({ run, bytes: size }) => ({
      id: run.id,
      agent: run.agent,
      status: run.status,
      updatedAt: run.updatedAt,
      bytes: size,
    })),
    staying: staying.map(({ run, because }) => ({ id: run.id, because })),
    bytes,
    total: plan.bytes,
  });
  screen.line(
    `${plural(going.length, 'run')} would be removed: ${bytesText(bytes)} of ${bytesText(plan.bytes)} in journals and contents.`,
  );
  for (const { run, bytes: size } of going.slice(0, MOST_SHOWN))
    screen.line(
      `  ${run.id}  ${printable(run.agent)}  ${run.status}  ${new Date(run.updatedAt).toISOString()}  ${bytesText(size)}`,
    );
  if (going.length > MOST_SHOWN) screen.line(`  and ${going.length - MOST_SHOWN} more; --json lists all of them`);
  tellStaying({ screen }, plan);
  if (going.length > 0) screen.line('Nothing was removed. Add --yes to remove them.');
  return EXIT.ok;
}

function tellStaying({ screen }: Pick<Call, 'screen'>, { staying }: RetentionPlan): void {
  for (const each of staying.slice(0, MOST_SHOWN)) screen.line(`  ${each.run.id} stays: ${whyItStays(each)}.`);
  if (staying.length > MOST_SHOWN) screen.line(`  and ${staying.length - MOST_SHOWN} more stay.`);
}

async function carryOut(
  { screen }: Call,
  workplace: Workplace,
  plan: RetentionPlan,
  remover: Remover,
): Promise<ExitCode> {
  const { engine, desk } = workplace;
  const parts = { engine, store: engine.store, runtime: desk, clock: systemClock() };
  const { removed, kept, collected } = await removeRuns(
    parts,
    plan.going.map(({ run }) => run),
    remover,
  );
  const staying = plan.staying.map((each) => ({ id: each.run.id, why: whyItStays(each) }));
  screen.data({ kind: remover.action, dryRun: false, removed, kept: [...kept, ...staying], collected });
  screen.line(`${plural(removed.length, 'run')} and ${plural(collected.contents, 'stored content')} removed.`);
  tellStaying({ screen }, plan);
  tellKept(screen, kept);
  return kept.length > 0 ? EXIT.conflict : EXIT.ok;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function removable(given: string): RunStatus {
  const status = REMOVABLE.find((known) => known === given);
  if (status === undefined)
    throw new ConfigError(`--status must be one of ${REMOVABLE.join(', ')}, because other runs have not ended.`);
  return status;
}
